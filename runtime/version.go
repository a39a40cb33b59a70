package runtime

// GenVersion is the version of the code that this bbgen generates. It increases when generated code begins to
// use a feature that older runtimes do not have.
const GenVersion = 2

// MinVersion is the oldest version of generated code that this runtime supports.
const MinVersion = 2

// Check makes an incompatible pair of generated code and runtime a compile error: generated code converts the
// distances from its own version to MinVersion and to GenVersion, and a negative distance overflows.
type Check uint
