// Package tensor holds element types, tensors whose type and shape are known only at run time, and the
// conversions of small floats. It knows no operator, no file format and no clock.
//
// Generated code works on plain slices. It uses this package for element types without a Go type ([F16], [I4]),
// for shapes that depend on data ([Tensor]), and to divide a buffer into typed slices ([View]).
package tensor
