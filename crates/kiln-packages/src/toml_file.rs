//! TOML files as plain values, each with its line, and the forms that entries must have.

use crate::Uuid;
use crate::error::PackageError;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// A table: values by name, with the file they are from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The file.
    pub(crate) file: String,
    /// The tables that this one is in, and its own name.
    path: String,
    /// The values.
    pub entries: BTreeMap<String, TomlValue>,
}

/// A value and its line, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct TomlValue {
    /// The line.
    pub line: usize,
    /// The value.
    pub value: TomlData,
}

/// The data of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum TomlData {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// A date, a time or both, as written.
    Time(String),
    /// A list.
    List(Vec<TomlValue>),
    /// A table.
    Table(Table),
}

/// Parses a text.
///
/// # Errors
/// When it is not TOML, or has a number that is too large: with the line.
pub fn parse(file: &str, text: &str) -> Result<Table, PackageError> {
    let lines = Lines { file, text };
    let parsed = DeTable::parse(text).map_err(|it| {
        let at = it.span().map_or(0, |it| it.start);
        lines.error(at, it.message().trim().replace('\n', "; "))
    })?;
    lines.table("", parsed.get_ref())
}

/// A text whose parts have lines.
struct Lines<'a> {
    file: &'a str,
    text: &'a str,
}

impl Lines<'_> {
    fn line(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        before.iter().filter(|it| **it == b'\n').count() + 1
    }

    fn error(&self, at: usize, message: String) -> PackageError {
        PackageError::Syntax { file: self.file.to_owned(), line: self.line(at), message }
    }

    fn table(&self, path: &str, table: &DeTable<'_>) -> Result<Table, PackageError> {
        let mut made = Table { file: self.file.to_owned(), path: path.to_owned(), entries: BTreeMap::new() };
        for (key, value) in table {
            let name = key.get_ref().to_string();
            let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let data = self.data(&below, value.get_ref(), key.span().start)?;
            made.entries.insert(name, TomlValue { line: self.line(key.span().start), value: data });
        }
        Ok(made)
    }

    fn data(&self, path: &str, value: &DeValue<'_>, at: usize) -> Result<TomlData, PackageError> {
        Ok(match value {
            DeValue::String(it) => TomlData::Text(it.to_string()),
            DeValue::Integer(it) => match i64::from_str_radix(it.as_str(), it.radix()) {
                Ok(number) => TomlData::Integer(number),
                Err(_) => return Err(self.error(at, format!("`{it}` is no integer of 64 bits"))),
            },
            DeValue::Float(it) => match it.as_str().parse() {
                Ok(number) => TomlData::Float(number),
                Err(_) => return Err(self.error(at, format!("`{it}` is no number"))),
            },
            DeValue::Boolean(it) => TomlData::Boolean(*it),
            DeValue::Datetime(it) => TomlData::Time(it.to_string()),
            DeValue::Array(all) => {
                let each = all.iter().map(|it| {
                    let at = it.span().start;
                    Ok(TomlValue { line: self.line(at), value: self.data(path, it.get_ref(), at)? })
                });
                TomlData::List(each.collect::<Result<_, PackageError>>()?)
            }
            DeValue::Table(it) => TomlData::Table(self.table(path, it)?),
        })
    }
}

impl Table {
    fn wrong(&self, key: &str, line: usize, expected: &'static str) -> PackageError {
        let key = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        PackageError::Entry { file: self.file.clone(), line, key, expected }
    }

    /// Returns the text of this name.
    ///
    /// # Errors
    /// When the value is no text.
    pub fn text(&self, key: &str) -> Result<Option<&str>, PackageError> {
        match self.entries.get(key) {
            None => Ok(None),
            Some(TomlValue { value: TomlData::Text(it), .. }) => Ok(Some(it)),
            Some(it) => Err(self.wrong(key, it.line, "a string")),
        }
    }

    /// Returns the UUID of this name.
    pub(crate) fn uuid(&self, key: &str) -> Result<Option<Uuid>, PackageError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let line = self.entries.get(key).map_or(1, |it| it.line);
        Uuid::parse(text).map(Some).ok_or_else(|| self.wrong(key, line, "a UUID"))
    }

    /// Returns the table of this name.
    ///
    /// # Errors
    /// When the value is no table.
    pub fn table(&self, key: &str) -> Result<Option<&Self>, PackageError> {
        match self.entries.get(key) {
            None => Ok(None),
            Some(TomlValue { value: TomlData::Table(it), .. }) => Ok(Some(it)),
            Some(it) => Err(self.wrong(key, it.line, "a table")),
        }
    }

    /// Returns the texts of this name: a list, or a single one.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, PackageError> {
        let Some(value) = self.entries.get(key) else { return Ok(Vec::new()) };
        let wrong = |line| self.wrong(key, line, "a list of strings");
        if let TomlData::Text(text) = &value.value {
            return Ok(vec![text.clone()]);
        }
        let TomlData::List(all) = &value.value else { return Err(wrong(value.line)) };
        let each = all.iter().map(|it| {
            let TomlData::Text(text) = &it.value else { return Err(wrong(it.line)) };
            Ok(text.clone())
        });
        each.collect()
    }

    /// Returns the UUIDs in the table of this name.
    pub(crate) fn uuids(&self, key: &str) -> Result<BTreeMap<String, Uuid>, PackageError> {
        let Some(table) = self.table(key)? else { return Ok(BTreeMap::new()) };
        let each = table.entries.keys().map(|name| Ok(table.uuid(name)?.map(|it| (name.clone(), it))));
        each.filter_map(Result::transpose).collect()
    }

    /// Returns the tables in the list of this name.
    pub(crate) fn tables(&self, key: &str) -> Result<Vec<&Self>, PackageError> {
        let Some(value) = self.entries.get(key) else { return Ok(Vec::new()) };
        let wrong = |line| self.wrong(key, line, "a list of tables");
        let TomlData::List(all) = &value.value else { return Err(wrong(value.line)) };
        let each = all.iter().map(|it| {
            let TomlData::Table(table) = &it.value else { return Err(wrong(it.line)) };
            Ok(table)
        });
        each.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_have_lines() {
        let error = parse("Project.toml", "name = \"A\"\n[deps\n").unwrap_err();
        assert!(error.to_string().starts_with("Project.toml:2: "), "{error}");
        let table = parse("Project.toml", "name = \"A\"\n[deps]\nB = 1\nC = \"no\"\n").unwrap();
        let error = table.uuids("deps").unwrap_err();
        assert_eq!(error.to_string(), "Project.toml:3: `deps.B` must be a string");
        let error = table.table("deps").unwrap().unwrap().uuid("C").unwrap_err();
        assert_eq!(error.to_string(), "Project.toml:4: `deps.C` must be a UUID");
        assert!(parse("x", "a = 99999999999999999999").unwrap_err().to_string().contains("64 bits"));
    }

    #[test]
    fn values_are_read() {
        let table = parse("x", "a = [1, 2.5, true, 1979-05-27]\nb = {c = 'd'}").unwrap();
        let TomlData::List(list) = &table.entries["a"].value else { panic!("a list") };
        let values: Vec<&TomlData> = list.iter().map(|it| &it.value).collect();
        let time = TomlData::Time("1979-05-27".into());
        assert_eq!(values, [&TomlData::Integer(1), &TomlData::Float(2.5), &TomlData::Boolean(true), &time]);
        assert_eq!(table.table("b").unwrap().unwrap().text("c").unwrap(), Some("d"));
    }
}
