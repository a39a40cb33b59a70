//go:build !unix

package runtime_test

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
