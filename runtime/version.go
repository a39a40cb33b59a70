package runtime

// GenVersion is the version of the code that this bbgen writes. It moves when
// generated code begins to use something that older runtimes do not have.
const GenVersion = 1

// MinVersion is the oldest generated code that this runtime still serves.
const MinVersion = 1

// Check makes an ill-fitting pair of generated code and runtime a compile
// error: generated code converts the distances from its own version to
// MinVersion and to GenVersion, and a negative one overflows.
type Check uint
