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
// A kernel is named after its operator (OPS.md lists them). Without more, it takes tensors in ONNX's layout and any
// element type that Go can compute with. What sets a kernel apart follows in this order:
//
//	Grad, GradWeight                          the gradient of an operand, from that of the result, or that of the weights
//	Last                                      the channels are the last axis
//	Adjacent                                  several places of a line are filters of one place
//	Packed                                    an operand is a constant in the layout of a Pack function
//	Add                                       adds a tensor of the result's shape
//	Act                                       applies an activation to the result
//	Scaled                                    an operand is multiplied by a number
//	Reduce                                    combines elements that come to one place
//	Indices                                   also writes the places of the elements that it selects
//	Into                                      writes some columns of a wider result
//	T, TA, S                                  the right, or the left, operand is transposed, or the right one is a number
//	Stored                                    an operand is float16 or bfloat16, which stands for float32
//	Integer, Int8                             multiplies bytes; sums are int32
//	Winograd                                  multiplies fewer times, by Winograd's algorithm
//	FromBool, ToBool                          from bools, or to bools
//	FromString, ToString, Strings             from strings, to strings, or of strings
//	FromSmall, ToSmall, ToInt4                from or to small floats, or to integers of fewer bits than a byte
//	Box, Map, Maps                            an operand is a tensor with its shape, a map, or a sequence of maps
//	Optional, Sequence, Tensor                an operand is an optional value, a sequence, or a tensor in one of these
//	32, 64, 8                                 only float32, only float64, only bytes
//	Size, Dim, Count                          is no kernel: returns the size of a result
//	Len, Kept, Max, Channels, Frames, Depth   is no kernel: returns a size that a result depends on
//	Before, Start, Step                       is no kernel: returns a place along an axis, or a distance
//
// These words stand before the name:
//
//	Pack                                      a constant operand in the layout that a kernel needs
//	Batch                                     before MatMul: a product for each of many matrices
//	Q                                         bytes in, and any type out that one of bytes is quantized to
//	Vec                                       float32 of any length, for other kernels
//	Step                                      one step of an optimizer
//
// Other names are not those of operators. The same words stand before and behind them:
//
//	BatchNorm, GroupNorm, LayerNorm, LpNorm   BatchNormalization and the like
//	RMSNorm, L2Norm                           RMSNormalization and L2Normalization
//	Binarize, Impute, LabelEncode, Scale      Binarizer and the like
//	DictVectorize, StringNormalize, TfIdf     DictVectorizer, StringNormalizer and TfIdfVectorizer
//	CausalConv, NLLLoss                       CausalConvWithState and NegativeLogLikelihoodLoss
//	CosineWindow                              HannWindow, HammingWindow and BlackmanWindow
//	ShiftLeft, ShiftRight                     BitShift in one direction
//	Fmod                                      Mod with the sign of the dividend
//	GeluTanh, Silu                            Gelu by its approximation, and Swish without a factor
//	RDiv, RSub                                Div and Sub with the number on the left
//	Select                                    Where on one thread
//	ReduceAll, ReduceAny                      ReduceMin and ReduceMax of bools
//	ReduceMaximum, ReduceMinimum              ReduceMax and ReduceMin of numbers
//	Reduce                                    what all reductions share
//	CumBest                                   what CumMax and CumMin share
//	Quantize, Dequantize                      QuantizeLinear and DequantizeLinear of bytes by one scale
//	DivScale, MulScale                        the same of small floats
//	Requantize                                sums of products become quantized elements
//	QAdd                                      a sum of bytes that stand for floats, as bytes
//	ByteTable                                 a function of bytes, as a table
//	Depthwise, Depth                          ConvLast with a group for each channel, and its filters of bytes
//	DeformSample                              the elements that DeformConv multiplies
//	Winograd, WinogradFilters                 ConvLast by Winograd's algorithm, and its filters
//	WinogradGroups, WinogradSmall             these filters for groups, and for tiles of 2×2 pixels
//	SplitTaps, JoinedTaps                     the taps of filters as several, and those of a window that are adjacent
//	Affine                                    BatchNorm with constants
//	BatchMoments, Blend                       the moments of its batch, and their running averages
//	MaskedSoftmax, AttentionTokens            Softmax with a mask, and tokens in the layout of Attention
//	DynamicLSTM                               LSTM with weights of bytes
//	CTCLoss                                   the loss of connectionist temporal classification
//	AdamW, LAMB, Lion, Muon, RMSprop, SGD     optimizers that ONNX does not have
//	AllFinite, MaxAbs, SumAbs, SumSquares     whether elements are finite, and norms
//	Average, DivNarrow                        the weighted sum of vectors divided by a number, and that division alone
//	Axpy, Dot                                 sums of products, as in BLAS
//	B32, B8, Gates, NBits, NBitsZeros         the layouts of the right operand of a product
//	ResizeNearest, ResizeAxis                 Resize by copies, and of one axis by weights
//	ResizeIndex, ResizeSame, ResizeWeights    the elements that these read
//	ResizeKeep, ResizeKept                    the scale of Resize that is one for all axes
//	ResizeRatios, ResizeScales                its other scales
//	Broadcast                                 a function of operands that broadcast
//	Copy, CopyHead, CopyRows, Fill            moves without an operator
//	Box                                       a tensor of its shape and elements
//	Sequence, SequenceAppend, SequenceGet     a sequence, a new item and a copy of one
//	SequencePop, UnstackSequence              all items but the last, and the slices of a tensor as items
//	Map, MapSpread, MapValues                 a map, and its values in two orders
//	OptionalGet, OptionalHas, OptionalNone    the value of an optional value, whether it has one, and one without
//	OneHotCategories, NormalizeRows           OneHotEncoder and Normalizer
//	FeatureColumns, TakeColumns               columns of FeatureVectorizer and ArrayFeatureExtractor
//	SVMScores, SVMProbabilities, SVMRegress   SVMClassifier and SVMRegressor
//	LinearScores, TreeScores, TwoScores       scores by a matrix, by trees, and of two classes
//	PostTransform, ThresholdLabel, TopLabel   what becomes of scores
//	FixedPoint, PackNibbles, UnpackNibbles    encodings of vectors
//	PutSigns, TakeSigns                       the same, by signs
//	NewKeystream, HasKeystream                random bytes of a cipher
//	InParts, Temp, EachRow, OfRow, RowOf      is no kernel: runs a chain, and gives it operands
//	Require                                   panics if a condition does not hold
//	CheckBroadcast, CheckEqual, CheckRoom     is no kernel: panics if sizes that depend on data are wrong
//	Extent, Length, Ints                      is no kernel: reads or writes such sizes
//	Levels, CurrentLevel, SetLevel            is no kernel: says by which instructions kernels run
//	Threads, SetThreads, OnTurns              is no kernel: says on which threads they run
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
// the one of the level or of a number of rows, and a check of the offsets of fields. Code by hand prepares arguments,
// computes what is left behind the last whole vector, and makes choices that sizes decide as well. The end of a kernel's name is its level (_asm/level), and
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
//	norms                batchnorm groupnorm layernorm rmsnorm l2norm normgrad lrn lpnorm moments
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
