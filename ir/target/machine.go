package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Machine is a target whose numbers were measured, with the machine and how each was measured. Its file is what
// "bbgen tune --machine" writes and --cpu reads.
type Machine struct {
	Processor  string  `json:"processor"`  // as the system names it
	System     string  `json:"system"`     // GOOS/GOARCH
	Processors int     `json:"processors"` // that the program could use; the speeds are those of one
	Caches     []Cache `json:"caches,omitempty"`
	Level      string  `json:"level"` // of kernels, as in BBGEN_CPU
	Speeds     []Speed `json:"speeds"`
}

// Cache is a cache for data of the first processor, the nearest one first.
type Cache struct {
	Level int `json:"level"`
	Bytes int `json:"bytes"`
}

// Speed is a number of a [Target].
type Speed struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
	Unit  string `json:"unit"`
	From  string `json:"from"` // what was measured
}

// number is a field of a Target that can be measured.
type number struct {
	name, unit string
	least      int
	of         func(t *Target) *int
}

// most is the limit of all numbers: with more, the cost of a convolution may overflow.
const most = 1 << 30

var numbers = []number{
	{"products", "multiply-adds of float32 per ns", 1, func(t *Target) *int { return &t.Products }},
	{"transforms", "elements transformed per 4 ns", 1, func(t *Target) *int { return &t.Transforms }},
	{"bytes", "bytes of filters read per ns", 1, func(t *Target) *int { return &t.Bytes }},
	{"call", "ns of a Winograd convolution beside all that", 0, func(t *Target) *int { return &t.Call }},
}

// SpeedsOf returns the numbers of a target with their units, and from where each is by its name.
func SpeedsOf(t *Target, from map[string]string) (list []Speed) {
	for _, n := range numbers {
		list = append(list, Speed{n.name, *n.of(t), n.unit, from[n.name]})
	}
	return list
}

// Encode encodes the machine as JSON.
func (m *Machine) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", "  ")
	return append(b, '\n'), err
}

// ParseMachine decodes the output of [Machine.Encode], and returns it with its target.
func ParseMachine(b []byte) (*Machine, *Target, error) {
	m := new(Machine)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, nil, fmt.Errorf("is not what \"bbgen tune --machine\" writes: %w", err)
	}
	if targets[m.Level] == nil {
		return nil, nil, fmt.Errorf("level is %q, want one of %s", m.Level, strings.Join(Levels(), ", "))
	}
	t, err := m.target()
	return m, t, err
}

// target returns the target of the machine's numbers, each of which must be there once. What a file does not have is as in
// the target of its level.
func (m *Machine) target() (*Target, error) {
	t := new(Target)
	*t = *targets[m.Level]
	if err := m.setCaches(t); err != nil {
		return nil, err
	}
	given := map[string]Speed{}
	for _, s := range m.Speeds {
		if _, twice := given[s.Name]; twice {
			return nil, fmt.Errorf("there are two speeds %q, want one", s.Name)
		}
		given[s.Name] = s
	}
	for _, n := range numbers {
		s, ok := given[n.name]
		delete(given, n.name)
		switch {
		case !ok:
			return nil, fmt.Errorf("there is no speed %q: measure the machine again", n.name)
		case s.Unit != n.unit:
			return nil, fmt.Errorf("speed %q has the unit %q, want %q: measure the machine again", n.name, s.Unit, n.unit)
		case s.Value < n.least || s.Value > most:
			return nil, fmt.Errorf("speed %q is %d, want %d to %d", n.name, s.Value, n.least, most)
		}
		*n.of(t) = s.Value
	}
	for _, s := range m.Speeds {
		if _, left := given[s.Name]; left {
			return nil, fmt.Errorf("speed %q is unknown: this bbgen does not read it", s.Name)
		}
	}
	return t, nil
}

// setCaches sets the processors and caches of a target. Systems other than Linux do not tell the caches.
func (m *Machine) setCaches(t *Target) error {
	if m.Processors < 0 || m.Processors > most {
		return fmt.Errorf("there are %d processors, want 1 to %d", m.Processors, most)
	}
	t.Cores = max(m.Processors, 1)
	for _, c := range m.Caches {
		if c.Level < 1 || c.Bytes < 1 || c.Bytes > most {
			return fmt.Errorf("cache L%d has %d bytes, want 1 to %d of L1 and further", c.Level, c.Bytes, most)
		}
	}
	if len(m.Caches) > 0 {
		t.Caches = m.Caches
	}
	return nil
}
