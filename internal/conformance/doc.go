// Package conformance reads the archives of models with inputs and expected
// outputs that tests compare with: ONNX's own cases, architectures exported
// from PyTorch, training trajectories.
//
// The archives are not part of the repository: each operator is proven without
// them, by the table of package forward, and they add larger cases. They are looked for in the
// directory that BBGEN_CONFORMANCE names, else in shared/conformance beside the
// repository; tests skip where there are none.
package conformance
