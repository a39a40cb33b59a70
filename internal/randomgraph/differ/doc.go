// Package differ compares bbgen's results for a random model with the evaluation of its original graph.
//
// [Passes] evaluates the graph before and after all passes, which takes well under a millisecond and covers
// inference, the passes, lowering and the portable kernels. [Compiled] also plans, prints, builds and runs
// models, hundreds in a binary: at the portable level, where their results must be equal to those of the
// optimized graph in every bit, and at the machine's own level. A [Runtime] is ONNX Runtime, which computes
// the original graph. [Minimize] reduces failing models.
package differ
