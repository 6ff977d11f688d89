//! Keys that sign entries, and keys that are trusted: ed25519, in text files.
//!
//! A line of a file of secret keys is `kiln-secret-key ed25519 HEX`, of public keys `kiln-public-key ed25519 HEX NAME`.
//! Empty lines and lines that begin with `#` say nothing.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use kiln_bytes::hex;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const SECRET: &str = "kiln-secret-key";
const PUBLIC: &str = "kiln-public-key";
const ALGORITHM: &str = "ed25519";
const FILE_BYTES_MAX: u64 = 1 << 20;
const SIGNATURE_DOMAIN: &[u8] = b"kiln-remote signature 1\0";

/// Bytes of a public key and of a signature.
pub(crate) const PUBLIC_BYTES: usize = 32;
pub(crate) const SIGNATURE_BYTES: usize = 64;

/// Why a file of keys is not used.
#[derive(Debug)]
pub enum KeyFileError {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A line is no key of the kind that the file should have.
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1; 0 if there is no key at all.
        line: usize,
        /// The kind of key.
        wanted: &'static str,
    },
    /// Others than the owner can read a secret key.
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyFileError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            KeyFileError::Line { path, line: 0, wanted } => {
                write!(f, "{} has no line `{wanted} {ALGORITHM} ...`", path.display())
            }
            KeyFileError::Line { path, line, wanted } => {
                write!(f, "{}:{line}: this is no `{wanted} {ALGORITHM} ...`", path.display())
            }
            KeyFileError::Exposed { path, mode } => write!(
                f,
                "{} can be read by others (mode {mode:o}): `chmod 600` makes it yours alone",
                path.display()
            ),
        }
    }
}

impl std::error::Error for KeyFileError {}

/// A key that signs entries.
#[derive(Clone)]
pub struct EntrySigner(SigningKey);

impl fmt::Debug for EntrySigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntrySigner({})", hex(&self.public()))
    }
}

impl EntrySigner {
    /// The signer of a secret key.
    pub fn from_secret(secret: &[u8; 32]) -> EntrySigner {
        EntrySigner(SigningKey::from_bytes(secret))
    }

    /// Reads the file of a secret key.
    ///
    /// # Errors
    /// When it cannot be read, is no secret key, or can be read by others.
    pub fn load(path: &Path) -> Result<EntrySigner, KeyFileError> {
        let text = read(path)?;
        let keys = keys_of(path, &text, SECRET)?;
        let mode = fs::metadata(path).map_err(|error| io_error(path, error))?.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyFileError::Exposed { path: path.to_owned(), mode });
        }
        let [secret] = keys[..] else {
            return Err(KeyFileError::Line { path: path.to_owned(), line: keys.len(), wanted: SECRET });
        };
        Ok(EntrySigner::from_secret(&secret))
    }

    /// The public key that belongs to it.
    pub fn public(&self) -> [u8; PUBLIC_BYTES] {
        self.0.verifying_key().to_bytes()
    }

    pub(crate) fn sign(&self, check: &[u8; 32]) -> [u8; SIGNATURE_BYTES] {
        self.0.sign(&signed_text(check)).to_bytes()
    }
}

/// The keys whose entries are used. Without any, every entry with a right checksum is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedKeys(Vec<[u8; PUBLIC_BYTES]>);

impl TrustedKeys {
    /// Trusts these public keys.
    pub fn new(keys: Vec<[u8; PUBLIC_BYTES]>) -> TrustedKeys {
        TrustedKeys(keys)
    }

    /// Reads files of public keys.
    ///
    /// # Errors
    /// When one cannot be read, or is not made of public keys.
    pub fn load(paths: &[PathBuf]) -> Result<TrustedKeys, KeyFileError> {
        let mut keys = Vec::new();
        for path in paths {
            keys.extend(keys_of(path, &read(path)?, PUBLIC)?);
        }
        Ok(TrustedKeys(keys))
    }

    /// Trusts the keys of these files; if there are none, a signer trusts itself alone: it may sign for others the entries that
    /// it takes from a server.
    ///
    /// # Errors
    /// When a file cannot be read, or is not made of public keys.
    pub fn of(signer: Option<&EntrySigner>, paths: &[PathBuf]) -> Result<TrustedKeys, KeyFileError> {
        match paths {
            [] => Ok(TrustedKeys(signer.map(EntrySigner::public).into_iter().collect())),
            _ => TrustedKeys::load(paths),
        }
    }

    /// Whether entries need a signature.
    pub fn is_required(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether `signature` is that of `check` by `signer`, a trusted key.
    pub(crate) fn accepts(
        &self,
        signer: &[u8; PUBLIC_BYTES],
        signature: &[u8; SIGNATURE_BYTES],
        check: &[u8; 32],
    ) -> bool {
        let key = self.0.contains(signer).then(|| VerifyingKey::from_bytes(signer).ok()).flatten();
        key.is_some_and(|it| it.verify_strict(&signed_text(check), &Signature::from_bytes(signature)).is_ok())
    }
}

/// Makes a pair of keys: `path` gets the secret one, which only the owner can read, and `path.pub` the public one. Neither file may
/// exist. Returns the public line.
///
/// # Errors
/// When a file cannot be made.
pub fn generate_keys(path: &Path, name: &str) -> Result<(PathBuf, String), KeyFileError> {
    let mut secret = [0; 32];
    let filled = rustix::rand::getrandom(&mut secret, rustix::rand::GetRandomFlags::empty());
    if filled.map_err(|it| io_error(path, it.into()))? != secret.len() {
        return Err(io_error(path, io::ErrorKind::UnexpectedEof.into()));
    }
    let signer = EntrySigner::from_secret(&secret);
    let mut public_path = path.as_os_str().to_owned();
    public_path.push(".pub");
    let public_path = PathBuf::from(public_path);
    let name: String = name.chars().filter(|it| !it.is_control()).collect();
    let public = format!("{PUBLIC} {ALGORITHM} {} {name}", hex(&signer.public())).trim_end().to_owned();
    create(&public_path, &format!("{public}\n"), 0o644)?;
    create(path, &format!("{SECRET} {ALGORITHM} {}\n", hex(&secret)), 0o600).inspect_err(|_| {
        // The key that belongs to it is nowhere.
        let _ = fs::remove_file(&public_path);
    })?;
    Ok((public_path, public))
}

fn create(path: &Path, text: &str, mode: u32) -> Result<(), KeyFileError> {
    let opened = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    opened.and_then(|mut it| it.write_all(text.as_bytes())).map_err(|error| io_error(path, error))
}

fn io_error(path: &Path, error: io::Error) -> KeyFileError {
    KeyFileError::Io { path: path.to_owned(), error }
}

fn read(path: &Path) -> Result<String, KeyFileError> {
    let length = fs::metadata(path).map_err(|error| io_error(path, error))?.len();
    if length > FILE_BYTES_MAX {
        return Err(io_error(path, io::ErrorKind::FileTooLarge.into()));
    }
    fs::read_to_string(path).map_err(|error| io_error(path, error))
}

fn signed_text(check: &[u8; 32]) -> Vec<u8> {
    [SIGNATURE_DOMAIN, check].concat()
}

/// The keys of a file, each of the kind `wanted`; at least one.
fn keys_of(path: &Path, text: &str, wanted: &'static str) -> Result<Vec<[u8; 32]>, KeyFileError> {
    let wrong = |line| KeyFileError::Line { path: path.to_owned(), line, wanted };
    let mut keys = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            None => {}
            Some(word) if word.starts_with('#') => {}
            Some(word) if word == wanted && words.next() == Some(ALGORITHM) => {
                keys.push(words.next().and_then(from_hex).ok_or_else(|| wrong(at + 1))?);
            }
            Some(_) => return Err(wrong(at + 1)),
        }
    }
    if keys.is_empty() { Err(wrong(0)) } else { Ok(keys) }
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    // MISSION N14: keys are files, the secret one for its owner alone.
    #[test]
    fn keys_are_made_read_and_refused() {
        let dir = std::env::temp_dir().join(format!("kiln-remote-keys-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("ci");
        let (public, line) = generate_keys(&path, "ci\n").unwrap();
        assert!(line.starts_with("kiln-public-key ed25519 ") && line.ends_with(" ci"));
        assert!(matches!(generate_keys(&path, ""), Err(KeyFileError::Io { .. })), "nothing is overwritten");
        let (lone, lone_public) = (dir.join("lone"), dir.join("lone.pub"));
        fs::write(&lone_public, "mine").unwrap();
        assert!(generate_keys(&lone, "").is_err() && !lone.exists(), "no secret key without its public one");
        fs::rename(&lone_public, &lone).unwrap();
        assert!(generate_keys(&lone, "").is_err() && !lone_public.exists());
        let signer = EntrySigner::load(&path).unwrap();
        let trusted = TrustedKeys::load(std::slice::from_ref(&public)).unwrap();
        let signature = signer.sign(&[7; 32]);
        assert_eq!(TrustedKeys::of(Some(&signer), &[]).unwrap(), trusted, "a signer trusts itself");
        assert!(!TrustedKeys::of(None, &[]).unwrap().is_required());
        assert!(trusted.is_required() && trusted.accepts(&signer.public(), &signature, &[7; 32]));
        assert!(!trusted.accepts(&signer.public(), &signature, &[8; 32]), "another text");
        let other = EntrySigner::from_secret(&[1; 32]);
        assert!(!trusted.accepts(&other.public(), &other.sign(&[7; 32]), &[7; 32]), "another key");
        assert!(!trusted.accepts(&signer.public(), &other.sign(&[7; 32]), &[7; 32]), "another's signature");
        let text = |it: KeyFileError| it.to_string();
        assert!(text(EntrySigner::load(&public).unwrap_err()).contains(":1: this is no `kiln-secret-key"));
        assert!(
            text(TrustedKeys::load(std::slice::from_ref(&path)).unwrap_err())
                .contains(":1: this is no `kiln-public")
        );
        fs::write(&public, "# nothing\n\n").unwrap();
        assert!(text(TrustedKeys::load(&[public]).unwrap_err()).contains("has no line `kiln-public-key"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(text(EntrySigner::load(&path).unwrap_err()).contains("chmod 600"));
        fs::remove_dir_all(dir).unwrap();
    }
}
