// Package manifest implements bbgen generate, which runs the commands listed in bbgen.yaml.
package manifest

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Name is the default name of the file.
const Name = "bbgen.yaml"

// verbs are the commands that an entry may have, which generate files.
var verbs = []string{"generate", "build", "train", "export"}

// Step is one entry: a command line.
type Step struct {
	Line int // line at which the entry begins
	Args []string
}

// Parse reads a file. Each entry is a verb with its input, and the flags of that
// verb:
//
//   - generate: digits.onnx
//     output: digits
//     bind: {batch: 1}
func Parse(b []byte) ([]Step, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("the file is empty, want a list of entries such as \"- generate: model.onnx\"")
	}
	list := doc.Content[0]
	if list.Kind != yaml.SequenceNode {
		return nil, errorAt(list, "want a list of entries such as \"- generate: model.onnx\"")
	}
	steps := make([]Step, len(list.Content))
	for i, entry := range list.Content {
		args, err := command(entry)
		if err != nil {
			return nil, err
		}
		steps[i] = Step{entry.Line, args}
	}
	return steps, nil
}

func errorAt(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
}

// command returns the command line of one entry.
func command(entry *yaml.Node) ([]string, error) {
	if entry.Kind != yaml.MappingNode {
		return nil, errorAt(entry, "want a verb with its input, such as \"generate: model.onnx\"")
	}
	var head, flags []string
	seen := map[string]bool{}
	for i := 0; i < len(entry.Content); i += 2 {
		key, value := entry.Content[i], entry.Content[i+1]
		if seen[key.Value] {
			return nil, errorAt(key, "%q is there twice", key.Value)
		}
		seen[key.Value] = true
		if slices.Contains(verbs, key.Value) {
			if head != nil {
				return nil, errorAt(key, "an entry has one verb: begin another with \"- %s:\"", key.Value)
			}
			if value.Kind != yaml.ScalarNode || value.Value == "" {
				return nil, errorAt(value, "%s: want the name of a file or a folder", key.Value)
			}
			if head = []string{key.Value, value.Value}; key.Value == "generate" {
				head = head[1:] // generate is the command without a subcommand
			}
			continue
		}
		more, err := flag(key.Value, value)
		if err != nil {
			return nil, err
		}
		flags = append(flags, more...)
	}
	if head == nil {
		return nil, errorAt(entry, "the entry has no verb, want one of %s", strings.Join(verbs, ", "))
	}
	return append(head, flags...), nil
}

// flag returns the arguments for a flag: for a list, the flag is repeated; a map becomes NAME=VALUE.
func flag(name string, value *yaml.Node) ([]string, error) {
	text := func(n *yaml.Node) (string, error) {
		if n.Kind != yaml.ScalarNode {
			return "", errorAt(n, "%s: want a word or a number here", name)
		}
		return n.Value, nil
	}
	var flags []string
	switch value.Kind {
	case yaml.ScalarNode:
		return []string{"--" + name + "=" + value.Value}, nil
	case yaml.SequenceNode:
		for _, n := range value.Content {
			s, err := text(n)
			if err != nil {
				return nil, err
			}
			flags = append(flags, "--"+name+"="+s)
		}
		return flags, nil
	case yaml.MappingNode:
		for i := 0; i < len(value.Content); i += 2 {
			s, err := text(value.Content[i+1])
			if err != nil {
				return nil, err
			}
			flags = append(flags, "--"+name+"="+value.Content[i].Value+"="+s)
		}
		return flags, nil
	}
	return nil, errorAt(value, "%s: want a word, a number, a list or a map", name)
}
