package pass

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir/target"
)

// Tuning holds measurements of a model on a machine.
type Tuning struct {
	Model   string             `json:"model"`
	Level   string             `json:"level"`
	Threads int                `json:"threads"`
	Layout  string             `json:"layout"`
	Time    map[string]float64 `json:"us,omitempty"` // microseconds of all nodes by layout
	Choices []Choice           `json:"choices"`
}

// Encode encodes the tuning as JSON.
func (t *Tuning) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(t, "", "  ")
	return append(b, '\n'), err
}

// ParseTuning decodes the output of [Tuning.Encode].
func ParseTuning(b []byte) (*Tuning, error) {
	t := new(Tuning)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("is not what \"bbgen tune\" writes: %w", err)
	}
	if _, err := target.Of(t.Level); err != nil || t.Level == "" {
		return nil, fmt.Errorf("level is %q, want one of %s", t.Level, strings.Join(target.Levels(), ", "))
	}
	if t.Layout != ChannelsLast && t.Layout != ChannelsFirst {
		return nil, fmt.Errorf("layout is %q, want %s or %s", t.Layout, ChannelsLast, ChannelsFirst)
	}
	for _, c := range t.Choices {
		if !slices.Contains(ConvAlgorithms, c.Pick) {
			return nil, fmt.Errorf("node %q: pick is %q, want one of %s", c.Node, c.Pick, strings.Join(ConvAlgorithms, ", "))
		}
	}
	return t, nil
}
