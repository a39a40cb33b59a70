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
)

// line is one line of the file of metrics: a step's or a validation's.
type line struct {
	Step       int      `json:"step"`
	Epoch      int      `json:"epoch"`
	Loss       *float64 `json:"loss,omitempty"`
	Rate       *float64 `json:"lr,omitempty"`
	Speed      float64  `json:"examples_per_second,omitempty"`
	ValLoss    *float64 `json:"val_loss,omitempty"`
	Accuracy   *float64 `json:"val_accuracy,omitempty"`
	Perplexity *float64 `json:"val_perplexity,omitempty"`
}

// metrics is the file of metrics; nil if nobody asked for one.
type metrics struct {
	f      *os.File
	w      *bufio.Writer
	shared bool // another peer may go on with the file
}

// openMetrics begins the file. A training that is resumed, or led by another peer now, keeps the lines up to
// its checkpoint: what was written after it is computed again.
func (t *trainer) openMetrics(resume bool) error {
	if t.opt.Metrics == "" {
		return nil
	}
	var kept []byte
	if resume {
		old, err := os.ReadFile(t.opt.Metrics)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		kept = t.keep(old)
	}
	if err := writeFile(t.opt.Metrics, func(w io.Writer) error { _, err := w.Write(kept); return err }); err != nil {
		return err
	}
	f, err := os.OpenFile(t.opt.Metrics, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	t.metrics = &metrics{f, bufio.NewWriter(f), t.team != nil}
	return nil
}

// keep are the whole lines that belong to what is done.
func (t *trainer) keep(old []byte) []byte {
	var kept []byte
	for text := range bytes.Lines(old) {
		var l line
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

func (m *metrics) write(l line) error {
	if m == nil {
		return nil
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(m.w, "%s\n", b)
	if (l.ValLoss != nil || m.shared) && err == nil {
		err = m.w.Flush() // for who watches the file, or goes on with it
	}
	return err
}

func (m *metrics) flush() error {
	if m == nil {
		return nil
	}
	return m.w.Flush()
}

func (m *metrics) close() error {
	if m == nil {
		return nil
	}
	return errors.Join(m.w.Flush(), m.f.Close())
}
