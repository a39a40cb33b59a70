package conversation

import (
	"io"
	"time"
)

// Drain is a stream to which messages are written.
type Drain interface {
	io.Writer
	SetWriteDeadline(t time.Time) error
}

// writeStep is how many bytes must be written within the stall timeout.
const writeStep = 256 << 10

// WriteAll writes b. Each part must be written in time; the whole may take as long as the network needs.
func WriteAll(s Drain, b []byte, stall time.Duration) error {
	for len(b) > 0 {
		if err := s.SetWriteDeadline(time.Now().Add(stall)); err != nil {
			return err
		}
		n, err := s.Write(b[:min(len(b), writeStep)])
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
