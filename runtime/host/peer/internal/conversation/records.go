package conversation

import "time"

// recordSize is as much as TLS encrypts at once.
const recordSize = 16 << 10

// records writes to a stream what is added, in whole records where there is as much: what
// stands around large payloads would else be records of its own, each with its system calls.
type records struct {
	to    Drain
	stall time.Duration
	begun []byte // a record that is not full
}

// add writes b, but for the part of a record at its end.
func (r *records) add(b []byte) error {
	if len(r.begun) > 0 {
		n := min(len(b), recordSize-len(r.begun))
		r.begun = append(r.begun, b[:n]...)
		if b = b[n:]; len(r.begun) < recordSize {
			return nil
		}
		if err := r.flush(); err != nil {
			return err
		}
	}
	whole := len(b) / recordSize * recordSize
	if err := WriteAll(r.to, b[:whole], r.stall); err != nil {
		return err
	}
	r.begun = append(r.begun, b[whole:]...)
	return nil
}

// flush writes what is left.
func (r *records) flush() error {
	err := WriteAll(r.to, r.begun, r.stall)
	r.begun = r.begun[:0]
	return err
}
