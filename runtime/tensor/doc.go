// Package tensor holds element types, tensors whose type and shape are known
// at run time only, and the conversions of small floats. It is a leaf: it
// knows no operator, no file format and no clock.
//
// Generated code works on plain slices and meets this package where a dtype
// has no Go type of its own ([F16], [I4]), where a shape depends on data
// ([Tensor]), and where a buffer is cut into typed slices ([View]).
package tensor
