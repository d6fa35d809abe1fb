//! Ten thousand MNIST digits, embedded.
//!
//! `digits/mnist-10k.gz` is made by `digits/pack_mnist.py`; its licence is in
//! `digits/LICENSE.md`. Uncompressed it is: the 8 bytes `digits01`, the number of images and of
//! pixels an image (two little-endian u32), the labels (one byte each), the pixels (one byte
//! each, image after image, row-major). The images are in the order of the SHA-256 of their
//! pixels, so that any leading part is a fair sample of all classes.

use super::DataMatrix;
use flate2::read::GzDecoder;
use std::io::Read;

const ARCHIVE: &[u8] = include_bytes!("digits/mnist-10k.gz");
const IMAGES: usize = 10_000;
const PIXELS: usize = 28 * 28;
const HEADER: usize = 16;

/// 10,000 handwritten digits of MNIST: one row an image, 28×28 pixels row-major, values k/255
/// in [0, 1].
///
/// Decoded at every call (about 20 ms): keep the result.
///
/// ```
/// let digits = rootrate::data::digits();
/// assert_eq!((digits.rows(), digits.cols()), (10_000, 784));
/// ```
pub fn digits() -> DataMatrix {
    let pixels = unpack().split_off(HEADER + IMAGES);
    let values = pixels.into_iter().map(|k| f64::from(k) / 255.0).collect();
    DataMatrix::new(IMAGES, PIXELS, values).expect("the embedded archive is complete")
}

/// The digit that each row of [`digits`] shows, 0 to 9.
pub fn digit_labels() -> Vec<u8> {
    unpack()[HEADER..HEADER + IMAGES].to_vec()
}

fn unpack() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + IMAGES * (1 + PIXELS));
    GzDecoder::new(ARCHIVE).read_to_end(&mut bytes).expect("the embedded archive decodes");
    bytes
}
