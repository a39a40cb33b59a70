//go:build !unix

package rusage

import "time"

// CPU returns 0: the time is not available on this system.
func CPU() time.Duration { return 0 }

// Children returns 0: the time is not available on this system.
func Children() time.Duration { return 0 }

// Memory returns 0: it is not available on this system.
func Memory() uint64 { return 0 }
