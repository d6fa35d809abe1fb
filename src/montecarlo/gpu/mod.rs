//! Compute shaders on any Vulkan, Metal or DirectX 12 adapter, through `wgpu`.
//!
//! The only module that knows `wgpu`. An [`Adapter`] is found, opened as a [`Device`], which
//! executes the [`Program`](super::program::Program)s of experiments; [`GpuEngine`] is the
//! [`Engine`](super::Engine) over it.

mod adapter;
mod device;
mod engine;
mod probe;

pub use adapter::{Adapter, AdapterKind, adapters};
pub use device::Device;
pub use engine::GpuEngine;
pub use probe::{Examination, ITERATIONS, count_iterations, examine, stream_normals, stream_words};
