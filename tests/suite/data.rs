//! Reading, writing, and the embedded digits.

use proptest::prelude::*;
use rootrate::data::{
    DataError, DataMatrix, digit_labels, digits, read_eigenvalues, read_matrix, write_atomic,
    write_atomic_with,
};
use std::fs;
use std::io;
use std::path::PathBuf;
use tempfile::TempDir;

fn golden() -> serde_json::Value {
    serde_json::from_str(include_str!("../golden/spectrum.json")).unwrap()
}

/// A fresh folder with one file in it.
fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn read(name: &str, content: &[u8]) -> Result<DataMatrix, DataError> {
    let (_folder, path) = file(name, content);
    read_matrix(&path)
}

/// What is wrong, after checking that the message names the file.
fn problem(name: &str, content: &[u8]) -> DataError {
    let error = read(name, content).unwrap_err();
    assert!(error.to_string().contains(name), "{error}");
    match error {
        DataError::File { problem, .. } => *problem,
        other => panic!("{other:?} names no file"),
    }
}

fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn npy_files_of_numpy_are_read() {
    for case in golden()["npy"].as_array().unwrap() {
        let numbers = |key: &str| -> Vec<f64> {
            case[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
        };
        let bytes: Vec<u8> = numbers("bytes").into_iter().map(|b| b as u8).collect();
        let matrix = read("a.npy", &bytes).unwrap();
        assert_eq!(matrix.values(), numbers("values"), "type {}", case["type"]);
        assert_eq!(matrix.rows(), case["rows"].as_u64().unwrap() as usize);
    }
}

#[test]
fn broken_npy_files_are_explained() {
    let header = |kind: &str, order: &str, shape: &str| {
        format!("{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}\n")
    };
    let with = |kind: &str, order: &str, shape: &str, data: &[u8]| {
        problem("x.npy", &npy(&header(kind, order, shape), data))
    };
    let malformed = |error: DataError, word: &str| {
        assert!(matches!(error, DataError::Malformed { .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error} does not mention {word}");
    };
    malformed(problem("x.npy", b""), "too short");
    malformed(problem("x.npy", b"1,2,3\n4,5,6\n"), "NUMPY");
    malformed(problem("x.npy", b"\x93NUMPY\x09\x00\x00\x00"), "version 9");
    malformed(problem("x.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff"), "header");
    malformed(problem("x.npy", &npy("{}", b"")), "descr");
    malformed(with("'<c16'", "False", "(1,)", &[0; 16]), "c16");
    malformed(with("[('a', '<f8')]", "False", "(1,)", &[0; 8]), "structured");
    malformed(with("'?8'", "False", "(1,)", &[0; 8]), "byte order");
    malformed(with("'<f8'", "Maybe", "(1,)", &[0; 8]), "fortran_order");
    malformed(with("'<f8'", "False", "7", &[0; 8]), "tuple");
    malformed(with("'<f8'", "False", "(-1,)", &[0; 8]), "\"-1\"");
    malformed(with("'<f8'", "False", "()", &[0; 8]), "single number");
    malformed(with("'<f8'", "True", "(1, 1, 2)", &[0; 16]), "C order");

    let length = with("'<f8'", "False", "(2, 3)", &[0; 47]);
    assert!(matches!(length, DataError::Length { expected: 48, found: 47 }), "{length:?}");
    let length = with("'<f8'", "False", "(2, 3)", &[0; 49]);
    assert!(matches!(length, DataError::Length { expected: 48, found: 49 }), "{length:?}");
    // Shapes whose product overflows must not wrap around to something small.
    for shape in ["(4294967296, 4294967296)", "(3, 1000000000)", "(18446744073709551615, 2)"] {
        let error = with("'<f8'", "False", shape, &[]);
        assert!(matches!(error, DataError::TooLarge { .. }), "{error:?}");
    }
    // Announcing just under the limit must fail before 16 GiB are allocated.
    let error = with("'<f8'", "False", "(2, 1000000000)", &[0; 8]);
    assert!(matches!(error, DataError::Length { expected: 16_000_000_000, found: 8 }), "{error:?}");
    for shape in ["(0,)", "(0, 3)", "(3, 0)"] {
        assert!(matches!(with("'<f8'", "False", shape, &[]), DataError::Empty), "{shape}");
    }
    let data: Vec<u8> = [1.0, 2.0, 3.0, f64::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
    let error = with("'<f8'", "False", "(2, 2)", &data);
    assert!(matches!(error, DataError::NotFinite { row: 2, column: 2, .. }), "{error:?}");
    let error = with("'<f8'", "True", "(2, 2)", &[&data[16..], &data[..16]].concat());
    assert!(matches!(error, DataError::NotFinite { row: 2, column: 1, .. }), "{error:?}");
}

#[test]
fn csv_variants_give_the_same_matrix() {
    let expected = DataMatrix::from_rows(&[vec![1.0, -2.5], vec![3e-4, 4.0]]).unwrap();
    for text in [
        "1,-2.5\n3e-4,4\n",
        "\"a, long\",b\n1,-2.5\n3e-4,4",
        "\u{feff}a,b\r\n1,-2.5\r\n3e-4,4\r\n",
        "# made by hand\n\n 1 , -2.5 \n\n\"3e-4\",4.\n",
        "\u{feff}1,-2.5\n.0003,+4e0\n\n",
    ] {
        assert_eq!(read("a.CSV", text.as_bytes()).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn broken_csv_files_are_explained_by_line_and_column() {
    let number = |text: &str, at: (u64, usize), found: &str| match problem("t.csv", text.as_bytes())
    {
        DataError::NotANumber { line, column, text } => {
            assert_eq!(((line, column), text.as_str()), (at, found));
        }
        other => panic!("{other:?}"),
    };
    number("x,y\n1,2\n3,four\n", (3, 2), "four");
    number("1,2\n# note\n\n3,nan\n", (4, 2), "nan");
    number("1,inf\n", (1, 2), "inf");
    number("1,1e999\n", (1, 2), "1e999");
    number("1,\n", (1, 2), "");
    // A first line with some numbers is data with a typing error, not a header.
    number("1,2x\n3,4\n", (1, 2), "2x");
    number("a b\n1 2\n", (2, 1), "1 2");
    number(&format!("1\n{}\n", "y".repeat(100)), (2, 1), &"y".repeat(40));
    match problem("t.csv", b"a,b\n1,2\n3,4,5\n") {
        DataError::Ragged { place, expected: 2, found: 3 } => assert_eq!(place, "line 3"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(problem("t.csv", b"a,b\n1,2,3\n"), DataError::Ragged { .. }));
    assert!(matches!(problem("t.csv", b",a\n0,1\n"), DataError::Malformed { .. }));
    assert!(matches!(problem("t.csv", b"\xff\xfe1\n2,\n"), DataError::Ragged { .. }));
    for empty in ["", "\n\n", "a,b\n", "# only\n"] {
        assert!(matches!(problem("t.csv", empty.as_bytes()), DataError::Empty), "{empty:?}");
    }
}

#[test]
fn idx_images_are_scaled() {
    let mut bytes = vec![0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3];
    bytes.extend([0, 51, 255, 102, 1, 254]);
    let expected =
        DataMatrix::new(2, 3, vec![0.0, 0.2, 1.0, 0.4, 1.0 / 255.0, 254.0 / 255.0]).unwrap();
    for name in ["a.idx", "train-images-idx3-ubyte", "t10k.IDX3-UBYTE"] {
        assert_eq!(read(name, &bytes).unwrap(), expected);
    }
    assert!(matches!(problem("a.idx", &bytes[..21]), DataError::Length { expected: 6, found: 5 }));
    assert!(matches!(problem("a.idx", &bytes[..9]), DataError::Malformed { .. }));
    assert!(matches!(problem("a.idx", b"\x1f\x8b\x08\x00"), DataError::Malformed { .. }));
    assert!(matches!(problem("a.idx", &[0, 0, 8, 1, 0, 0, 0, 1, 5]), DataError::Malformed { .. }));
    assert!(matches!(problem("a.idx", &[0, 0, 13, 2]), DataError::Malformed { .. }));
    let huge = [&[0, 0, 8, 3][..], &[0xff; 12]].concat();
    assert!(matches!(problem("a.idx", &huge), DataError::TooLarge { .. }));
    assert!(matches!(problem("a.idx", &[0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 3]), DataError::Empty));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = read_matrix(folder.path().join("no.npy")).unwrap_err().to_string();
    assert!(missing.contains("no.npy") && missing.contains("cannot read"), "{missing}");
    let directory = folder.path().join("d.csv");
    fs::create_dir(&directory).unwrap();
    assert!(read_matrix(&directory).unwrap_err().to_string().contains("cannot read"));
    assert!(matches!(problem("a.xlsx", b""), DataError::UnknownFormat));
    assert!(read_matrix("").unwrap_err().to_string().contains(".npy"));
}

#[test]
fn eigenvalue_lists_come_in_three_shapes() {
    for (name, text) in [
        ("e.txt", "3\n1\n2\n"),
        ("e", "3,1,2"),
        ("e.csv", "lambda\n3\n1\n2"),
        ("e.dat", "# decreasing?\n3.0\n\n1e0\n2\n"),
    ] {
        let (_folder, path) = file(name, text.as_bytes());
        assert_eq!(read_eigenvalues(&path).unwrap(), [3.0, 1.0, 2.0], "{name}");
    }
    let bytes =
        npy("{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }\n", &[3, 0, 1, 0, 2, 0]);
    let (_folder, path) = file("e.npy", &bytes);
    assert_eq!(read_eigenvalues(&path).unwrap(), [3.0, 1.0, 2.0]);
    let (_folder, path) = file("e.csv", b"1,0\n0,1\n");
    let error = read_eigenvalues(&path).unwrap_err().to_string();
    assert!(error.contains("2×2"), "{error}");
}

#[test]
fn matrices_validate_their_values() {
    assert!(matches!(DataMatrix::new(2, 2, vec![0.0; 3]), Err(DataError::Shape { .. })));
    assert!(matches!(DataMatrix::new(usize::MAX, 2, vec![]), Err(DataError::Shape { .. })));
    assert!(matches!(DataMatrix::new(0, 3, vec![]), Err(DataError::Empty)));
    assert!(matches!(DataMatrix::from_rows(&[]), Err(DataError::Empty)));
    assert!(matches!(DataMatrix::from_rows(&[vec![]]), Err(DataError::Empty)));
    let ragged = DataMatrix::from_rows(&[vec![1.0], vec![1.0, 2.0]]).unwrap_err();
    assert_eq!(
        ragged.to_string(),
        "row 2 has 2 values, the first row has 1: all rows must be equally long"
    );
    assert!(matches!(
        DataMatrix::new(2, 2, vec![0.0, 0.0, f64::NEG_INFINITY, 0.0]),
        Err(DataError::NotFinite { row: 2, column: 1, .. })
    ));
}

#[test]
fn writing_is_all_or_nothing() {
    let (folder, path) = file("out.json", b"old");
    write_atomic(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    let failed = write_atomic_with(&path, |out| {
        out.write_all(b"half a fi")?;
        Err(io::Error::other("the disk is full"))
    });
    let message = failed.unwrap_err().to_string();
    assert!(message.contains("out.json") && message.contains("the disk is full"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");

    let message = write_atomic(folder.path().join("no/such.txt"), b"").unwrap_err().to_string();
    assert!(message.contains("such.txt") && message.contains("cannot write"), "{message}");
    assert!(write_atomic(folder.path(), b"").is_err(), "a directory is no target");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn writing_respects_links_devices_and_permissions() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let (folder, path) = file("plain.txt", b"old");
    let link = folder.path().join("link.txt");
    symlink(&path, &link).unwrap();
    write_atomic(&link, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

    write_atomic("/dev/null", b"gone").unwrap();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());

    // The same mode as any file that this process creates, whatever its umask.
    let ordinary = fs::metadata(folder.path()).map(|_| {
        let probe = folder.path().join("probe");
        fs::write(&probe, b"").unwrap();
        fs::metadata(probe).unwrap().permissions().mode()
    });
    let fresh = folder.path().join("fresh.txt");
    write_atomic(&fresh, b"").unwrap();
    assert_eq!(fs::metadata(fresh).unwrap().permissions().mode(), ordinary.unwrap());
}

#[test]
fn digits_are_the_ten_thousand_of_the_package() {
    let (facts, images, labels) = (&golden()["digits"], digits(), digit_labels());
    let integer = |key: &str| facts[key].as_i64().unwrap();
    assert_eq!((images.rows(), images.cols(), labels.len()), (10_000, 784, 10_000));
    let mut counts = [0_i64; 10];
    labels.iter().for_each(|&label| counts[usize::from(label)] += 1);
    let expected: Vec<i64> =
        facts["class_counts"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect();
    assert_eq!(counts.to_vec(), expected);
    assert_eq!(i64::from(labels[0]), integer("first_label"));

    let (mut sum, mut weighted) = (0_i64, 0_i64);
    for (i, value) in images.values().iter().enumerate() {
        let k = (value * 255.0).round();
        assert_eq!(k / 255.0, *value, "pixel {i} is not of the form k/255");
        sum += k as i64;
        weighted += (i as i64 + 1) % 65_521 * k as i64;
    }
    assert_eq!((sum, weighted), (integer("pixel_sum"), integer("weighted_pixel_sum")));
    // 13.1 % of full brightness, the known mean of MNIST (0.1307 over all training images).
    let mean = sum as f64 / (255.0 * 7_840_000.0);
    assert!((mean - 0.1307).abs() < 1e-3, "{mean}");
}

#[test]
fn any_leading_part_of_the_digits_is_a_fair_sample() {
    // A hypergeometric count of 1,000 of 10,000: standard deviation ≤ 9.5; ±45 is 4.7 of them.
    let labels = digit_labels();
    for class in 0..10 {
        let count = |part: &[u8]| part.iter().filter(|&&l| l == class).count() as f64;
        assert!((count(&labels[..1000]) - count(&labels) / 10.0).abs() < 45.0, "class {class}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for name in ["a.npy", "a.csv", "a.idx"] {
            let _ = read(name, &bytes);
        }
        let _ = read("a.idx", &[&[0, 0, 8, 2][..], &bytes].concat());
        let _ = read("a.npy", &npy(&String::from_utf8_lossy(&bytes), b""));
    }

    #[test]
    fn damaged_npy_files_never_panic(
        at in 0_usize..144,
        byte in any::<u8>(),
        cut in 0_usize..145,
    ) {
        let header = format!(
            "{:<117}\n",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }"
        );
        let mut bytes = npy(&header, &[0; 16]);
        bytes[at] = byte;
        bytes.truncate(cut);
        if let Ok(matrix) = read("a.npy", &bytes) {
            prop_assert!(matrix.values().iter().all(|v| v.is_finite()));
        }
    }

    #[test]
    fn random_text_never_panics(text in "[-0-9a,.e\"#\\r\\n ]{0,200}") {
        if let Ok(matrix) = read("a.csv", text.as_bytes()) {
            prop_assert_eq!(matrix.values().len(), matrix.rows() * matrix.cols());
        }
    }

    #[test]
    fn csv_round_trips_every_bit(
        rows in 1_usize..6,
        values in proptest::collection::vec(
            proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO,
            25,
        ),
    ) {
        let matrix = DataMatrix::new(rows, 5, values[..rows * 5].to_vec()).unwrap();
        let line = |i| matrix.row(i).iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let text = (0..rows).map(line).collect::<Vec<_>>().join("\n");
        prop_assert_eq!(read("a.csv", text.as_bytes()).unwrap(), matrix);
    }
}
