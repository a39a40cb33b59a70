package run

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
)

// metrics writes the file of --json. A nil one writes nothing.
type metrics struct {
	w *bufio.Writer
	c io.Closer
}

// record is a line of the file.
type record struct {
	Seconds float64 `json:"seconds"` // since the start; virtual in a simulation
	Peer    string  `json:"peer,omitempty"`
	Kind    string  `json:"kind"` // the kinds of -events of peers, and killed, exited and end
	From    string  `json:"from,omitempty"`
	Name    string  `json:"name,omitempty"`
	Round   uint64  `json:"round,omitempty"`
	Value   any     `json:"value,omitempty"`
	Type    string  `json:"type,omitempty"`
	Hash    string  `json:"hash,omitempty"`
	Error   string  `json:"error,omitempty"`
	*status
	*outcome
}

// status is part of records of kinds status and started.
type status struct {
	State   string   `json:"state"`
	In      int64    `json:"in"` // bytes, since the process started
	Out     int64    `json:"out"`
	Missing []string `json:"missing,omitempty"`
	Waits   []string `json:"waits,omitempty"` // what executions have been waiting for for a long time
}

// outcome is part of the last record, of kind end.
type outcome struct {
	Done   bool               `json:"done"` // all loops of rounds, or all inputs, are finished
	Peers  int                `json:"peers"`
	Killed int                `json:"killed"`
	Sent   int64              `json:"sent"`   // bytes
	Values map[string]float64 `json:"values"` // latest values, averaged over the peers of a class
	Left   []leftOut          `json:"left_out,omitempty"`
	Run    string             `json:"run,omitempty"` // hash of all events in a simulation
}

func openMetrics(file string, stdout io.Writer) (*metrics, error) {
	switch file {
	case "":
		return nil, nil
	case "-":
		return &metrics{w: bufio.NewWriter(stdout)}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &metrics{bufio.NewWriter(f), f}, nil
}

func (m *metrics) event(e event) error {
	if m == nil {
		return nil
	}
	r := record{Seconds: e.seconds, Peer: e.Peer, Kind: e.Kind, From: e.From, Name: e.Name, Round: e.Round, Value: e.Value,
		Type: e.Type, Hash: e.Hash, Error: e.Error}
	if s := e.Status; s != nil {
		r.status = &status{s.State, s.In, s.Out, s.Missing, s.Waits}
	}
	return m.write(r)
}

// end writes the last record, of a run that has ended with an error or nil.
func (m *metrics) end(b *board, err error) error {
	if m == nil {
		return nil
	}
	var text string
	if err != nil {
		text = err.Error()
	}
	o := &outcome{Done: b.complete(), Peers: len(b.rows), Killed: b.killed(), Sent: b.sent(), Run: b.hash, Left: b.leftOut, Values: map[string]float64{}}
	for _, v := range b.means() {
		o.Values[v.name] = v.x
	}
	return m.write(record{Seconds: b.seconds, Kind: "end", Error: text, outcome: o})
}

// write writes a record immediately, as another program may read the file.
func (m *metrics) write(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	m.w.Write(line)
	m.w.WriteByte('\n')
	return m.w.Flush()
}

func (m *metrics) close() {
	if m != nil && m.c != nil {
		m.c.Close()
	}
}
