package runtime

// RunBbgenAgain is the type of the versions of generated code. A compiler that finds code and runtime incompatible prints
// its name, as in "1 - runtime.MinVersion (constant -1 of uint type runtime.RunBbgenAgain) overflows uint".
type RunBbgenAgain uint

// GenVersion is the version of the code that this bbgen generates. It increases when generated code begins to
// use a feature that older runtimes do not have. A test in internal/arch says when.
const GenVersion RunBbgenAgain = 4

// MinVersion is the oldest version of generated code that this runtime supports.
//
// Code of version 1 calls kernels with positional arguments that are the fields of structs now. Code of version 2
// calls functions of package runtime that are in packages values, model and fault now. Blocks of version 3 take a Node, and not an
// Engine.
const MinVersion RunBbgenAgain = 4

// Check makes an incompatible pair of generated code and runtime a compile error: generated code converts the
// distances from its own version to MinVersion and to GenVersion, and a negative distance overflows.
type Check uint
