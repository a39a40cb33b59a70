package ir

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/artifact/keys"
)

// Names returns the list of names under a key of the metadata, or nil if there is none.
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

// Classes returns the names of the scores in the first output, from bbgen's metadata or from that of
// Ultralytics' exporter under "names": {0: 'cat', 1: 'dog'}.
func (m *Module) Classes() ([]string, error) {
	names, err := m.Names(keys.Classes)
	if err != nil || names != nil {
		return names, err
	}
	for _, kv := range m.Meta {
		if kv.Key == "names" {
			return numbered(kv.Value), nil
		}
	}
	return nil, nil
}

// entry is an entry of a dictionary in Python: a number and a string.
var entry = regexp.MustCompile(`^\s*(\d+)\s*:\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(,|$)`)

// numbered returns the strings of a Python dictionary with the keys 0, 1 and so on, or nil if the text is not
// such a dictionary.
func numbered(text string) (names []string) {
	text, open := strings.CutPrefix(strings.TrimSpace(text), "{")
	text, closed := strings.CutSuffix(text, "}")
	if !open || !closed {
		return nil
	}
	for strings.TrimSpace(text) != "" {
		m := entry.FindStringSubmatch(text)
		if m == nil || m[1] != strconv.Itoa(len(names)) {
			return nil
		}
		names = append(names, unescape.Replace(m[2]+m[3]))
		text = text[len(m[0]):]
	}
	return names
}

var unescape = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`)
