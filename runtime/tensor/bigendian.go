//go:build s390x || ppc64 || mips || mips64

package tensor

// Weights and messages hold little-endian numbers, and are used where they are, without a copy. So that no binary computes
// with wrong ones, none is built for other processors: this name is not defined.
const _ = bbgen_needs_a_processor_with_little_endian_numbers
