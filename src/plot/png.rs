//! A minimal PNG encoder: 8-bit RGB (ISO/IEC 15948), compressed by `flate2`.

use std::io::{self, Write};

use flate2::{Compression, Crc, write::ZlibEncoder};

/// Pixels a metre of a screen with 192 dots an inch: an image drawn at twice the size of its
/// logical pixels is then shown and printed at the intended size.
const DENSITY: u32 = 7559;

/// Encodes `rgb` (three bytes a pixel, rows from the top).
pub(super) fn encode(rgb: &[u8], width: u32, height: u32) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(13);
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]); // depth, RGB, deflate, adaptive filters, no interlace

    let mut density = Vec::with_capacity(9);
    density.extend(DENSITY.to_be_bytes());
    density.extend(DENSITY.to_be_bytes());
    density.push(1); // the unit is the metre

    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in rgb.chunks_exact(3 * width as usize) {
        zlib.write_all(&[0])?; // filter "none": flat areas compress best as they are
        zlib.write_all(row)?;
    }

    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &header);
    chunk(&mut png, *b"pHYs", &density);
    chunk(&mut png, *b"IDAT", &zlib.finish()?);
    chunk(&mut png, *b"IEND", &[]);
    Ok(png)
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let mut crc = Crc::new();
    crc.update(&kind);
    crc.update(data);
    png.extend((data.len() as u32).to_be_bytes());
    png.extend(kind);
    png.extend(data);
    png.extend(crc.sum().to_be_bytes());
}
