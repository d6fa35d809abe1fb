//! Which adapters there are.

use std::fmt;

use serde::Serialize;

/// What drives an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdapterKind {
    /// A graphics processor of its own, or one that shares the memory of the processor.
    Hardware,
    /// A program that stands in for one.
    Software,
}

/// An adapter that was found, not yet opened.
#[derive(Debug, Clone)]
pub struct Adapter {
    pub(super) inner: wgpu::Adapter,
}

impl Adapter {
    /// The driver's name for it.
    pub fn name(&self) -> String {
        self.inner.get_info().name
    }

    /// Hardware or software.
    pub fn kind(&self) -> AdapterKind {
        match self.inner.get_info().device_type {
            wgpu::DeviceType::Cpu | wgpu::DeviceType::Other => AdapterKind::Software,
            _ => AdapterKind::Hardware,
        }
    }

    /// `"vulkan"`, `"metal"` or `"dx12"`.
    pub fn interface(&self) -> String {
        self.inner.get_info().backend.to_string()
    }

    /// The driver and its version.
    pub fn driver(&self) -> String {
        let info = self.inner.get_info();
        format!("{} {}", info.driver, info.driver_info).trim().to_owned()
    }

    /// Limits that matter here: name and value.
    pub fn limits(&self) -> Vec<(&'static str, u64)> {
        let limits = self.inner.limits();
        vec![
            ("storage_binding_bytes", limits.max_storage_buffer_binding_size),
            ("buffer_bytes", limits.max_buffer_size),
            ("workgroup_memory_bytes", limits.max_compute_workgroup_storage_size.into()),
            ("workgroup_invocations", limits.max_compute_invocations_per_workgroup.into()),
            ("workgroups_per_dimension", limits.max_compute_workgroups_per_dimension.into()),
            ("storage_bindings", limits.max_storage_buffers_per_shader_stage.into()),
        ]
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.interface())
    }
}

/// All adapters of Vulkan, Metal and DirectX 12 on this machine, hardware first; none where
/// there is no driver. The environment variable `WGPU_BACKEND` narrows the choice.
pub fn adapters() -> Vec<Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends &= wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    let backends = descriptor.backends;
    let instance = wgpu::Instance::new(descriptor);
    let found = pollster::block_on(instance.enumerate_adapters(backends));
    let mut found: Vec<Adapter> = found.into_iter().map(|inner| Adapter { inner }).collect();
    found.sort_by_key(|a| match a.inner.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    found
}
