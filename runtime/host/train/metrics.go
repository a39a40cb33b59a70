package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// metrics is a file of JSON lines, one for each step and each validation.
type metrics struct {
	file   string
	f      *os.File
	w      *bufio.Writer
	shared bool // another peer may continue the file
}

// Begin opens the file. A training that is resumed, or has a new leader, keeps the lines up to its
// checkpoint: later steps are computed again.
func (m *metrics) Begin(t *Training) error {
	var kept []byte
	if _, file := disk.Replaceable(m.file); file && t.Resumed { // a device keeps nothing
		old, err := os.ReadFile(m.file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		kept = t.keep(old)
	}
	if err := writeFile(m.file, func(w io.Writer) error { _, err := w.Write(kept); return err }); err != nil {
		return err
	}
	f, err := os.OpenFile(m.file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	m.f, m.w, m.shared = f, bufio.NewWriter(f), t.Group
	return nil
}

// keep returns the complete lines of completed steps.
func (t *Training) keep(old []byte) []byte {
	var kept []byte
	for text := range bytes.Lines(old) {
		var l Line
		if json.Unmarshal(text, &l) != nil || text[len(text)-1] != '\n' {
			break
		}
		if l.Step > t.Step || l.ValLoss != nil && l.Step > t.Evaluated {
			break
		}
		kept = append(kept, text...)
	}
	return kept
}

// Record writes a line.
func (m *metrics) Record(l *Line) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(m.w, "%s\n", b)
	if (l.ValLoss != nil || m.shared) && err == nil {
		err = m.w.Flush() // for readers of the file, or a new leader
	}
	return err
}

// Flush writes buffered lines.
func (m *metrics) Flush() error { return m.w.Flush() }

// Close ends the file.
func (m *metrics) Close(error) error { return errors.Join(m.w.Flush(), m.f.Close()) }
