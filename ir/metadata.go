package ir

import (
	"encoding/json"
	"fmt"
)

// The keys of metadata that mean something to bbgen; their values are lists of names,
// in JSON.
const (
	KeyFrozen  = "bbgen.frozen"  // initializers that are no weights: training leaves them as they are
	KeyClasses = "bbgen.classes" // what the scores of the first output stand for
	KeyColumns = "bbgen.columns" // what the features of the first input are
)

// Names is the list of names under a key of the metadata; nil if it is not there.
func (m *Module) Names(key string) (names []string, err error) {
	for _, kv := range m.Meta {
		if kv.Key != key {
			continue
		}
		if err := json.Unmarshal([]byte(kv.Value), &names); err != nil {
			return nil, fmt.Errorf("%s: metadata %s: %w", m.File, key, err)
		}
	}
	return names, nil
}
