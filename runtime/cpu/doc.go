// Package cpu holds the kernels that generated code calls: slices in, slices out, the numbers last. A kernel
// returns nothing and allocates nothing. Wrong shapes and indices are mistakes of the caller, except those
// that depend on data: then the kernel panics with an [Error], which the generated Run returns.
//
// Every kernel has a portable form in plain Go. Some have assembly in addition; the choice is made in one
// place, by [Level]: the highest level all of whose extensions the processor has, unless BBGEN_CPU names a
// lower one.
//
// # Names
//
// A kernel is named after its ONNX operator. Without more, it takes tensors in ONNX's layout and any element
// type that Go can compute with. What sets a kernel apart follows in this order:
//
//	Grad, GradWeight    the gradient of an operand, from that of the result, or that of the weights
//	Last                the channels are the last axis
//	Adjacent            several places of a line are filters of one place
//	Packed              an operand is a constant in the layout of a Pack function
//	Add                 adds a tensor of the result's shape
//	Into                writes some columns of a wider result
//	T, TA, S            the right, or the left, operand is transposed, or the right one is a number
//	Stored              an operand is float16 or bfloat16, which stands for float32
//	Integer, Int8       multiplies bytes; sums are int32
//	Winograd            multiplies fewer times, by Winograd's algorithm
//	32, 64, 8           only float32, only float64, only bytes
//	Size, Dim, Count    is no kernel: returns the size of a result
//
// These words stand before the name:
//
//	Pack                a constant operand in the layout that a kernel needs
//	Batch               before MatMul: a product for each of many matrices
//	Q                   bytes in, and any type out that one of bytes is quantized to
//	Vec                 float32 of any length, for other kernels
//	Step                one step of an optimizer
//
// Other names have such a word as well. They stay whole, and words follow them in the same order:
//
//	ConvInteger         an operator of ONNX
//	MatMulInteger       an operator of ONNX
//	BatchNorm           BatchNormalization, an operator of ONNX
//	BatchMoments        the moments of its batch
//	B32, B8             the layout of the right operand of a product
//
// # Arguments
//
// Results come first, then inputs, scratch memory, and numbers. A function has eight parameters at most. Where it needs
// more, those of one kind are a struct, which is passed by value: sizes such as [MatMulShape], attributes such as
// [LRNParams], inputs such as [RecurrentIn].
//
// # Assembly
//
// Programs in _asm write it with go generate. A kernel is declared where its instructions are, with the types of this
// package: the program also writes FILE_kernels_amd64.go, with the declaration of each kernel, the functions that choose
// the one of the level or of a number of rows, and a check of the offsets of fields. Code by hand prepares arguments and
// computes what is left behind the last whole vector. The end of a kernel's name is its level (_asm/level), and
// generation fails if an instruction needs more.
//
// # Families
//
// A file's name begins with one of these words:
//
//	products             gemm matmul columnsums transpose
//	convolutions         conv winograd depthwise deform causalconv col2im window slide taps
//	bytes and few bits   int8 amx nbits qconv qmatmul quantize requantize bytetable
//	pools                average maxpool maxroipool maxunpool globalpool lppool poolgrad poollast quarterpool roialign
//	recurrent layers     recurrent lstm gru rnn dynamiclstm
//	attention            attention linearattention rotary maskedsoftmax softmax
//	norms                batchnorm groupnorm layernorm rmsnorm normgrad lrn lpnorm moments
//	losses               nllloss ctc finite
//	optimizers           step optimizer
//	elementwise          vec math arith minmax logic compare where bitwise pow mod trig round trunc sign
//	                     activation relu softplus rectifier gate add isnan cast chain half stored
//	reductions           reduce reduction argmax cumulative cumbest cumprodgrad topk unique nonzero nonmaxsuppression
//	moving data          copy rows nest box broadcast expand tile pad slice reshape squeeze resize fill repeat trilu
//	                     gather scatter onehot compress reversesequence affinegrid gridsample range
//	signals              dft fft stft cosinewindow melweightmatrix
//	random numbers       random
//	strings, containers  string regex tfidf sequence maps optional
//	classic learning     svm trees score features
//	linear algebra       det
//	codecs, masks        codec keystream
//	checks               checkequal require error
//	the machinery        level needs pool linked types ints length extent
package cpu
