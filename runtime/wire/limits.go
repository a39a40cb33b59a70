package wire

import "fmt"

// Limits bound input from outside. A message beyond a limit is refused before memory is allocated for it.
type Limits struct {
	Envelope  int   // bytes of an envelope
	Fills     int   // fills of an envelope
	Fill      int   // bytes of a payload within an envelope; larger ones come as chunks
	Suffix    int   // bytes of a destination suffix
	Dims      int   // dynamic dimensions of a fill
	Addresses int   // addresses of a list
	Address   int   // bytes of an address
	Hello     int   // bytes of a Hello
	Classes   int   // classes of a peer
	Name      int   // bytes of a class, kernel level or build id
	Proof     int   // bytes of a fingerprint or join proof
	Chunk     int   // bytes of a chunk's data
	Bulk      int64 // bytes of a payload that comes as chunks
}

// Default returns the limits of a peer on a server or desktop.
func Default() Limits {
	return Limits{
		Envelope:  16 << 20,
		Fills:     256,
		Fill:      4 << 20,
		Suffix:    4 << 10,
		Dims:      64,
		Addresses: 8,
		Address:   256,
		Hello:     16 << 10,
		Classes:   64,
		Name:      256,
		Proof:     1 << 10,
		Chunk:     1 << 20,
		Bulk:      1 << 40,
	}
}

// Edge returns the limits of a small device.
func Edge() Limits {
	return Limits{
		Envelope:  256 << 10,
		Fills:     16,
		Fill:      64 << 10,
		Suffix:    512,
		Dims:      16,
		Addresses: 4,
		Address:   256,
		Hello:     4 << 10,
		Classes:   8,
		Name:      128,
		Proof:     256,
		Chunk:     64 << 10,
		Bulk:      64 << 20,
	}
}

// LimitError reports a message that exceeds one of the [Limits].
type LimitError struct {
	What     string // such as "envelope: fills"
	Got, Max uint64
}

// Error returns what is too large, its size, and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("wire: %s: got %d, the limit is %d", e.What, e.Got, e.Max)
}

// within checks a size against its limit.
func within(what string, got, limit int) error {
	if got <= limit {
		return nil
	}
	return &LimitError{what, uint64(got), uint64(max(limit, 0))}
}
