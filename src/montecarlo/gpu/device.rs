//! An opened adapter: pipelines, buffers, and the execution of one batch.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Adapter, AdapterKind};
use crate::montecarlo::program::{Binding, Groups, MAX_PARAMETERS, Program, Shader, Stage};
use crate::montecarlo::{MonteCarloError, Streams};

/// Words of the uniforms before the parameters.
const HEAD: usize = 8;
/// Bytes from one stage's uniforms to the next: the alignment that every adapter supports.
const STRIDE: usize = 256;
/// Memory of one batch, bytes.
const BATCH_BYTES: u64 = 1 << 28;
/// Work of one batch, floating-point operations: a fraction of a second.
const HARDWARE_WORK: f64 = 1e11;
const SOFTWARE_WORK: f64 = 2e9;

type Pipelines = HashMap<(Shader, Vec<Binding>), Arc<wgpu::ComputePipeline>>;

/// An adapter, opened, with the pipelines that it has compiled.
#[derive(Debug)]
pub struct Device {
    adapter: Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipelines: Mutex<Pipelines>,
    lost: Arc<Mutex<Option<String>>>,
}

/// The buffers of a program for batches of up to `capacity` replicates.
#[derive(Debug)]
pub(super) struct Loaded<'a> {
    device: &'a Device,
    program: &'a Program,
    pub(super) capacity: u64,
    uniforms: wgpu::Buffer,
    output: wgpu::Buffer,
    download: wgpu::Buffer,
    stages: Vec<(Arc<wgpu::ComputePipeline>, wgpu::BindGroup)>,
}

impl Device {
    /// Opens `adapter` with all its limits.
    ///
    /// # Errors
    /// [`MonteCarloError::Device`] with the driver's reason.
    pub fn open(adapter: Adapter) -> Result<Self, MonteCarloError> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("rootrate"),
            required_limits: adapter.inner.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.inner.request_device(&descriptor))
            .map_err(|e| failure(&adapter, format!("cannot be opened: {e}")))?;
        let lost = Arc::new(Mutex::new(None));
        let flag = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            let text = format!("the device was lost ({reason:?}): {message}");
            *flag.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        });
        Ok(Self { adapter, device, queue, pipelines: Mutex::default(), lost })
    }

    /// The adapter.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    fn failure(&self, problem: impl Into<String>) -> MonteCarloError {
        failure(&self.adapter, problem.into())
    }

    /// Most replicates of `program` in one batch.
    ///
    /// # Errors
    /// One replicate does not fit.
    pub(super) fn capacity(&self, program: &Program) -> Result<u64, MonteCarloError> {
        let limits = self.device.limits();
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let constant = program.constants.iter().map(|c| 4 * c.len() as u64).max().unwrap_or(0);
        let output = 4 * (program.outputs as u64 + 1);
        let largest = program.arrays.iter().map(|&a| 4 * a as u64).fold(output, u64::max);
        let total = program.arrays.iter().map(|&a| 4 * a as u64).sum::<u64>() + 2 * output;
        if constant > binding || largest > binding {
            let needed = constant.max(largest);
            return Err(self.failure(format!(
                "one replicate needs an array of {needed} bytes, the adapter binds {binding}: \
                 use a smaller problem or the processor"
            )));
        }
        let groups = u64::from(limits.max_compute_workgroups_per_dimension);
        let widest = program.stages.iter().map(|stage| match stage.groups {
            Groups::Each(_) => groups,
            Groups::Across(size) => groups * u64::from(size),
        });
        let work = match self.adapter.kind() {
            AdapterKind::Hardware => HARDWARE_WORK,
            AdapterKind::Software => SOFTWARE_WORK,
        };
        let by_work = (work / program.operations.max(1.0)).ceil() as u64;
        let most = widest.fold(by_work, u64::min).min(binding / largest).min(BATCH_BYTES / total);
        Ok(most.clamp(1, u64::from(u32::MAX)))
    }

    /// Compiles `program` and reserves its buffers for batches of `capacity` replicates.
    ///
    /// # Errors
    /// [`MonteCarloError::Device`]: out of memory, or a shader that the driver refuses.
    pub(super) fn load<'a>(
        &'a self,
        program: &'a Program,
        capacity: u64,
    ) -> Result<Loaded<'a>, MonteCarloError> {
        self.guarded(|| {
            let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            let constants: Vec<_> = program
                .constants
                .iter()
                .map(|list| {
                    let bytes: &[u8] = bytemuck::cast_slice(list);
                    let buffer = self.buffer(bytes.len() as u64, storage);
                    self.queue.write_buffer(&buffer, 0, bytes);
                    buffer
                })
                .collect();
            let arrays: Vec<_> = program
                .arrays
                .iter()
                .map(|&words| self.buffer(4 * words as u64 * capacity, storage))
                .collect();
            let bytes = 4 * (program.outputs as u64 + 1) * capacity;
            let output = self.buffer(bytes, storage | wgpu::BufferUsages::COPY_SRC);
            let down = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
            let download = self.buffer(bytes, down);
            let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            let uniforms = self.buffer((STRIDE * program.stages.len()) as u64, uniform);
            let stages = program
                .stages
                .iter()
                .map(|stage| {
                    let (pipeline, layout) = self.pipeline(stage);
                    let mut entries = vec![wgpu::BindGroupEntry {
                        binding: 0,
                        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                            buffer: &uniforms,
                            offset: 0,
                            size: std::num::NonZeroU64::new(STRIDE as u64),
                        }),
                    }];
                    entries.extend((1..).zip(&stage.bindings).map(|(binding, bound)| {
                        let buffer = match *bound {
                            Binding::Constant(i) => &constants[i],
                            Binding::Read(i) | Binding::Array(i) => &arrays[i],
                            Binding::Output => &output,
                        };
                        wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
                    }));
                    let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: None,
                        layout: &layout,
                        entries: &entries,
                    });
                    (pipeline, group)
                })
                .collect();
            Loaded { device: self, program, capacity, uniforms, output, download, stages }
        })
    }

    /// Runs `op`, and turns what went wrong in it into an error.
    fn guarded<T>(&self, op: impl FnOnce() -> T) -> Result<T, MonteCarloError> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let value = op();
        let errors = [internal, validation, memory].map(|scope| pollster::block_on(scope.pop()));
        if let Some(problem) = self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(self.failure(problem));
        }
        match errors.into_iter().flatten().next() {
            None => Ok(value),
            Some(wgpu::Error::OutOfMemory { .. }) => {
                Err(self.failure("out of memory: use a smaller problem or the processor"))
            }
            Some(error) => Err(self.failure(error.to_string())),
        }
    }

    fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let size = size.next_multiple_of(4).max(16);
        let descriptor =
            wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.device.create_buffer(&descriptor)
    }

    /// The compiled pipeline of a stage, from the cache if it is there, and its layout.
    fn pipeline(&self, stage: &Stage) -> (Arc<wgpu::ComputePipeline>, wgpu::BindGroupLayout) {
        let key = (stage.shader, stage.bindings.clone());
        let mut cache = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        let pipeline = cache.entry(key).or_insert_with(|| Arc::new(self.compile(stage)));
        (Arc::clone(pipeline), pipeline.get_bind_group_layout(0))
    }

    fn compile(&self, stage: &Stage) -> wgpu::ComputePipeline {
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
        entries.extend((1..).zip(&stage.bindings).map(|(binding, bound)| {
            let read_only = matches!(bound, Binding::Constant(_) | Binding::Read(_));
            entry(binding, wgpu::BufferBindingType::Storage { read_only }, false)
        }));
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(stage.shader.entry),
            source: wgpu::ShaderSource::Wgsl(stage.shader.source().into()),
        });
        // Workgroup memory is written before it is read by every shader here.
        let options = wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        };
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(stage.shader.entry),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(stage.shader.entry),
            compilation_options: options,
            cache: None,
        })
    }
}

impl Loaded<'_> {
    /// The output words of the replicates `range`, at most `capacity` of them.
    ///
    /// # Errors
    /// [`MonteCarloError::Device`]: the device failed or was lost.
    pub(super) fn execute(
        &self,
        streams: Streams,
        range: Range<u64>,
    ) -> Result<Vec<u32>, MonteCarloError> {
        let (first, count) = (range.start as u32, (range.end - range.start) as u32);
        let bytes = 4 * (self.program.outputs as u64 + 1) * u64::from(count);
        let words = self.device.guarded(|| {
            self.write_uniforms(streams, first, count);
            let mut encoder = self
                .device
                .device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                for (index, ((pipeline, group), stage)) in
                    self.stages.iter().zip(&self.program.stages).enumerate()
                {
                    pass.set_pipeline(pipeline);
                    pass.set_bind_group(0, group, &[(index * STRIDE) as u32]);
                    match stage.groups {
                        Groups::Each([x, y]) => pass.dispatch_workgroups(x, y, count),
                        Groups::Across(size) => {
                            pass.dispatch_workgroups(count.div_ceil(size), 1, 1);
                        }
                    }
                }
            }
            encoder.copy_buffer_to_buffer(&self.output, 0, &self.download, 0, bytes);
            self.device.queue.submit([encoder.finish()]);
            let (sender, receiver) = std::sync::mpsc::channel();
            self.download.map_async(wgpu::MapMode::Read, 0..bytes, move |result| {
                // the receiver is gone only if this batch has failed already
                let _ = sender.send(result);
            });
            let wait = wgpu::PollType::Wait { submission_index: None, timeout: None };
            self.device.device.poll(wait).map_err(|e| e.to_string())?;
            receiver.recv().map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
            let view = self.download.get_mapped_range(0..bytes).map_err(|e| e.to_string())?;
            let words = bytemuck::pod_collect_to_vec::<u8, u32>(&view);
            drop(view);
            self.download.unmap();
            Ok(words)
        })?;
        words.map_err(|problem: String| self.device.failure(problem))
    }

    fn write_uniforms(&self, streams: Streams, first: u32, count: u32) {
        let seed = streams.seed;
        let mut uniforms = vec![0_u32; STRIDE / 4 * self.program.stages.len()];
        for (words, stage) in uniforms.chunks_mut(STRIDE / 4).zip(&self.program.stages) {
            let head = [seed as u32, (seed >> 32) as u32, streams.experiment, first, count];
            words[..head.len()].copy_from_slice(&head);
            assert!(stage.parameters.len() <= MAX_PARAMETERS, "more parameters than uniforms hold");
            words[HEAD..HEAD + stage.parameters.len()].copy_from_slice(&stage.parameters);
        }
        self.device.queue.write_buffer(&self.uniforms, 0, bytemuck::cast_slice(&uniforms));
    }
}

fn failure(adapter: &Adapter, problem: String) -> MonteCarloError {
    MonteCarloError::Device { adapter: adapter.to_string(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::montecarlo::gpu::adapters;
    use crate::montecarlo::{Experiment, NormalMoments};

    const STREAMS: Streams = Streams { seed: 1, experiment: 2600 };

    /// The last adapter (a software one where there is one), opened; none is no failure here:
    /// the integration tests require one where they must.
    fn device() -> Option<Device> {
        Some(Device::open(adapters().pop()?).expect("a listed adapter opens"))
    }

    #[test]
    fn a_lost_device_is_an_error() {
        let Some(device) = device() else { return };
        let program = NormalMoments::new(64).expect("valid").program();
        let loaded = device.load(&program, 4).expect("loaded");
        assert!(loaded.execute(STREAMS, 0..4).is_ok());
        device.device.destroy();
        let error = loaded.execute(STREAMS, 0..4).expect_err("the device is gone");
        assert!(matches!(error, MonteCarloError::Device { .. }), "{error}");
        assert!(device.load(&program, 4).is_err());
    }

    #[test]
    fn too_large_a_buffer_is_an_error() {
        let Some(device) = device() else { return };
        let mut program = NormalMoments::new(64).expect("valid").program();
        program.arrays = vec![1 << 40];
        let error = device.capacity(&program).expect_err("no adapter binds four terabytes");
        assert!(error.to_string().contains("use a smaller problem or the processor"), "{error}");
        assert!(device.load(&program, 1).is_err());
    }

    #[test]
    fn a_shader_that_does_not_compile_is_an_error() {
        let Some(device) = device() else { return };
        let mut program = NormalMoments::new(64).expect("valid").program();
        program.stages[0].shader.parts =
            &["@compute @workgroup_size(1) fn moments() { missing(); }"];
        let error = device.load(&program, 1).expect_err("not WGSL");
        assert!(error.to_string().contains("missing"), "{error}");
        // and the device still works
        let program = NormalMoments::new(64).expect("valid").program();
        assert!(device.load(&program, 1).expect("loaded").execute(STREAMS, 0..1).is_ok());
    }
}
