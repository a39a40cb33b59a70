package bbgen

import "embed"

// Runtime is the source of the packages that generated code calls. A generated module contains the packages
// that it needs, so that it builds anywhere.
//
//go:embed runtime
var Runtime embed.FS
