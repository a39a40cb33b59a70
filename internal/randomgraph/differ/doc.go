// Package differ compares bbgen's results for a random model with the evaluation of its original graph.
//
// [Passes] evaluates the graph before and after all passes, which takes well under a
// millisecond and covers inference, the passes, lowering and the portable kernels.
// [Compiled] also plans, prints and builds models, hundreds to a binary, and runs
// them: at the portable level, where their results are those of the evaluation of the
// optimized graph bit for bit, and at the machine's own. A [Runtime] is ONNX Runtime,
// which computes the graph as it was written. What differs is made small
// by [Minimize].
package differ
