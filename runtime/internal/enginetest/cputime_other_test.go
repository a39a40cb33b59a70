//go:build !unix

package enginetest

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
