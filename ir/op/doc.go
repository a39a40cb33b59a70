// Package op defines the table of operators. Everything that bbgen knows about an operator is in one value,
// an [Op], in a file of its family, which is a package below this one. Package all combines the families;
// users of the table must import it.
//
// Every stage uses the table. Inference calls [Op.Infer], code generation and constant folding call
// [Op.Lower], differentiation calls [Op.Grad]. Properties of operators that a stage needs are fields of Op,
// and never special cases for names.
//
// The families:
//
//	math        element by element: arithmetic, functions, comparisons, logic, bits, casts
//	activation  activations of networks, Softmax and its relatives
//	reduce      sums, means and the like along axes; cumulative sums
//	linear      matrix products, Einsum, determinants
//	shape       moving elements: Reshape, Transpose, Concat, Slice, Gather, Scatter, TopK
//	conv        convolutions and pooling: what slides a window over images
//	image       Resize, GridSample, regions in images
//	norm        normalizations
//	attention   attention and rotary embeddings
//	recurrent   RNN, GRU, LSTM
//	signal      Fourier transforms and windows
//	quant       QuantizeLinear and its relatives
//	text        strings
//	sequence    sequences and optionals
//	control     If, Loop, Scan
//	random      random numbers, Dropout
//	ml          classic machine learning: ai.onnx.ml
//	contrib     ONNX Runtime's own: com.microsoft
//	training    losses, optimizers
//	peer        distributed programs: components, services of the engine, collectives, edges
//
// A family never imports another. What several share stands here, and rules that build
// nodes of other operators name these through the [ir.Builder]:
//
//	op, peer, last, train       the columns of a row, and what can be asked of it
//	table, domain, nearest      Lookup and All; domains of operators; the name that was probably meant
//	schema, types, check, input attributes, inputs and outputs; package elem has the sets of elements
//	infer, infer_*, inferrer    what inference sees; what many rows infer; the checks around all
//	content, bounds, item       what is known of contents, of sizes, and inside sequences
//	agree, agree_inferred, room sizes that the run compares, and bounds
//	shape                       axes, broadcasting, and the sizes of outputs
//	lower, lowered, elementwise, activation, convert, constants, quantized, decimal, shapes
//	                            calls of kernels, what many rows lower to, and parameters of kernels
//	stored                      weights that stay in 16 bits
//	build, grad, widen, upgrade nodes that definitions, gradients and older versions are made of
//	overwritable                inputs that an output may overwrite
//	takeover                    puts a definition in a node's place
//	work, stops                 operations and bytes; why there is no gradient
package op
