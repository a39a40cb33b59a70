package peer

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// Said is the kind of lines of -events for text that a program prints: the line's name is the text.
const Said = "said"

// SaidWriter returns a writer that writes each line of a text as a line of -events of a peer.
func SaidWriter(w io.Writer, peer string) io.Writer { return &saidWriter{w: w, peer: peer} }

// saidWriter is the writer of [SaidWriter].
type saidWriter struct {
	w    io.Writer
	peer string
	rest []byte // of an incomplete line
}

// Write implements [io.Writer].
func (l *saidWriter) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		text, err := json.Marshal(Line{Time: time.Now(), Peer: l.peer, Kind: Said, Name: string(line)})
		if err != nil {
			return 0, err
		}
		if _, err := l.w.Write(append(text, '\n')); err != nil {
			return 0, err
		}
		l.rest = append(l.rest[:0], rest...)
	}
}
