package serve

import (
	"io"
	"net/http"
	"time"
)

// A client may send as slowly as minRate bytes a second, after a while that it has in any case.
const (
	minRate  = 16 << 10
	minGrace = 10 * time.Second
)

// firstChunk is how much memory a body has to begin with. It doubles as the body comes: what a request announces and does
// not send costs nothing.
const firstChunk = 4 << 10

// body is a request's body while it is read, and then until it is answered.
type body struct {
	data   []byte
	budget *budget
	taken  int // bytes of the budget
}

// grow makes room for more, up to most bytes in all.
func (b *body) grow(most int) error {
	n := min(max(2*cap(b.data), firstChunk), most)
	if !b.budget.take(n - b.taken) {
		return errFull
	}
	b.taken = n
	b.data = append(make([]byte, 0, n), b.data...)
	return nil
}

// release gives the memory back.
func (b *body) release() {
	b.budget.put(b.taken)
	b.data, b.taken = nil, 0
}

// read reads the body as far as it is allowed to go. No session is taken meanwhile, so that who sends slowly keeps nobody
// waiting, and who sends too slowly is cut off.
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
			if err := b.grow(most + 1); err != nil { // a byte for the end of the file
				return err
			}
		}
		due := min(h.opt.timeout, minGrace) + time.Duration(len(b.data))*time.Second/minRate
		conn.SetReadDeadline(began.Add(due)) // a recorder of tests has none
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
