package conversation

import "time"

// recordSize is the number of bytes that TLS encrypts at once.
const recordSize = 16 << 10

// records writes the added bytes to a stream in whole TLS records. Otherwise the bytes around large payloads
// would become small records, each with its own system calls.
type records struct {
	to    Drain
	stall time.Duration
	begun []byte // the bytes of an incomplete record
}

// add writes b except for an incomplete record at its end, which it keeps.
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

// flush writes the incomplete record.
func (r *records) flush() error {
	err := WriteAll(r.to, r.begun, r.stall)
	r.begun = r.begun[:0]
	return err
}
