package bbgen

import "embed"

// Runtime is the source of the packages that generated code calls; a generated
// module carries the part that it needs, so that it builds anywhere.
//
//go:embed runtime
var Runtime embed.FS
