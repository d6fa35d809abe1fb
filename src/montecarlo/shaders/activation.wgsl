// Nonlinearities of random features, operation for operation as in activation.rs (M16f).

// 1/v for normal v > 0.
fn reciprocal_f32(v: f32) -> f32 {
    var y = bitcast<f32>(0x7EF311C7u - bitcast<u32>(v));
    y = y * (2.0f - v * y);
    y = y * (2.0f - v * y);
    y = y * (2.0f - v * y);
    return y * (2.0f - v * y);
}

fn with_sign_of(size: f32, z: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(size) | (bitcast<u32>(z) & 0x80000000u));
}

fn tanh_f32(z: f32) -> f32 {
    let size = abs(z);
    if (size < 0.625f) {
        let w = z * z;
        var p = 0.02099718f + w * -0.006096714f;
        p = 0.13332769f + w * (-0.053850908f + w * p);
        p = -0.33333328f + w * p;
        return z + z * (w * p);
    }
    let value = 1.0f - 2.0f * reciprocal_f32(exp_f32(2.0f * min(size, 10.0f)) + 1.0f);
    return with_sign_of(value, z);
}

fn erf_f32(z: f32) -> f32 {
    let size = abs(z);
    if (size < 1.0f) {
        let w = z * z;
        var p = -0.00080168643f + w * 0.000078758749f;
        p = -0.026854211f + w * (0.005189087f + w * p);
        p = -0.37612626f + w * (0.112835944f + w * p);
        return z * (1.1283791f + w * p);
    }
    let t = min(size, 4.0f);
    var q = -0.00031693702f + t * 0.000013272362f;
    q = -0.022604773f + t * (0.0034323514f + t * q);
    q = 0.63914126f + t * (0.10328112f + t * q);
    q = 0.0007658978f + t * (1.1258936f + t * q);
    return with_sign_of(1.0f - exp_f32(-q), z);
}

// tanh z, max(z, 0) − 1/√(2π) or erf z for the codes 0, 1, 2.
fn activate(code: u32, z: f32) -> f32 {
    if (code == 0u) {
        return tanh_f32(z);
    }
    if (code == 1u) {
        return max(z, 0.0f) - 0.3989423f;
    }
    return erf_f32(z);
}
