package serve

import (
	"io"
	"net/http"
	"time"
)

// After an initial time, a client must send at least minRate bytes per second.
const (
	minRate  = 16 << 10
	minGrace = 10 * time.Second
)

// firstChunk is the initial memory of a body. It doubles as the body arrives: announced bytes cost no memory
// until they are sent.
const firstChunk = 4 << 10

// body is the body of a request. It is kept until its outputs are computed, also if nobody waits for them any more.
type body struct {
	data   []byte
	budget *budget
	taken  int // bytes taken from the budget
}

// grow makes room for more bytes, up to most in total.
func (b *body) grow(most int) error {
	n := min(max(2*cap(b.data), firstChunk), most)
	if !b.budget.take(n - b.taken) {
		return errFull
	}
	b.taken = n
	b.data = append(make([]byte, 0, n), b.data...)
	return nil
}

// release releases the memory.
func (b *body) release() {
	b.budget.put(b.taken)
	b.data, b.taken = nil, 0
}

// read reads the body within its limits. It holds no session meanwhile, so that a slow client does not delay
// others; a client that sends too slowly is disconnected.
func (h *handler) read(b *body, w http.ResponseWriter, r *http.Request) error {
	most := int(h.opt.maxRequest)
	tooLarge := failf(http.StatusRequestEntityTooLarge, "the request is larger than %v: start the server with a higher -max-request", &h.opt.maxRequest)
	if r.ContentLength > int64(most) {
		return tooLarge
	}
	began, conn := time.Now(), http.NewResponseController(w)
	src := http.MaxBytesReader(w, r.Body, int64(most))
	for {
		if len(b.data) == cap(b.data) {
			if err := b.grow(most + 1); err != nil { // a byte to detect the end of the file
				return err
			}
		}
		due := min(h.opt.timeout, minGrace) + time.Duration(len(b.data))*time.Second/minRate
		conn.SetReadDeadline(began.Add(due)) // the recorder of tests has no deadlines
		n, err := src.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		switch {
		case err == nil:
		case err == io.EOF:
			return nil
		case is[*http.MaxBytesError](err):
			return tooLarge
		case isTimeout(err):
			return failf(http.StatusRequestTimeout, "%d bytes of the request came within %v, want %d a second", len(b.data), due, minRate)
		default:
			return failf(http.StatusBadRequest, "body: %w", err)
		}
	}
}
