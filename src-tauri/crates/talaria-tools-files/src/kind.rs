//! Files that are not text, told by their name or by a sample.

/// How much of a file is looked at.
const SAMPLE_BYTES: usize = 1000;

const IMAGES: &[&str] = &["bmp", "gif", "ico", "jpeg", "jpg", "png", "tif", "tiff", "webp"];
const DOCUMENTS: &[&str] = &["doc", "docx", "odp", "ods", "odt", "pdf", "ppt", "pptx", "xls", "xlsx"];
const BINARIES: &[&str] = &[
    "3ds", "7z", "a", "aac", "ai", "aiff", "app", "avi", "bin", "blend", "bz2", "class", "dat", "data", "db", "deb",
    "dll", "dylib", "ear", "eot", "eps", "exe", "fig", "fla", "flac", "flv", "gz", "idx", "iso", "jar", "lib", "lockb",
    "m4a", "m4v", "max", "mdb", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "node", "o", "obj", "ogg", "opus",
    "otf", "psd", "pyc", "pyo", "rar", "rlib", "rpm", "sketch", "so", "sqlite", "sqlite3", "swf", "tar", "tgz", "ttf",
    "war", "wasm", "wav", "webm", "wma", "wmv", "woff", "woff2", "xd", "xz", "z", "zip",
];

/// Why a file of this name cannot be shown as text, with a way out.
pub(crate) fn refusal_by_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name
        .rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())?
        .1
        .to_ascii_lowercase();
    let has = |list: &[&str]| list.contains(&extension.as_str());
    let advice = if has(IMAGES) {
        "is an image; read_file shows text only. Its size and kind can be found with `file` in the terminal."
    } else if has(DOCUMENTS) {
        "is a document; read_file shows plain text only. Convert it in the terminal first (for example with pdftotext \
         or pandoc) and read the result."
    } else if has(BINARIES) {
        "is a binary file by its extension; read_file shows text only. Inspect it in the terminal (`file`, `xxd`, \
         `strings`)."
    } else {
        return None;
    };
    Some(format!("{path} {advice}"))
}

/// Whether the beginning of a file is not text: more than 30 % control characters.
pub(crate) fn looks_binary(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let (mut all, mut control) = (0_usize, 0_usize);
    for byte in sample {
        // Continuation bytes of UTF-8 belong to the character before them.
        if byte & 0xC0 != 0x80 {
            all += 1;
        }
        if *byte < 32 && !matches!(byte, b'\n' | b'\r' | b'\t') {
            control += 1;
        }
    }
    control * 10 > all * 3
}

#[cfg(test)]
mod tests;
