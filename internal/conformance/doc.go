// Package conformance reads archives of models with inputs and expected outputs for tests: ONNX's own cases,
// architectures exported from PyTorch, and training trajectories.
//
// The archives are not part of the repository: the table of package forward tests each operator without them,
// and they add larger cases. They are in the directory BBGEN_CONFORMANCE, or by default in shared/conformance
// beside the repository. Tests skip if they are missing.
package conformance
