package docs

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFlags checks the flags and commands that the documents mention without running them: those of bbgen,
// and of the programs that it generates.
func TestFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	known := helpOf(t)
	for _, p := range pages(t) {
		if err := p.flags(known); err != nil {
			t.Error(err)
		}
	}
	checkTable(t, known)
	if len(known.examples) < 60 {
		t.Errorf("the help of bbgen has %d examples, want more: they are not found", len(known.examples))
	}
	for _, e := range known.examples {
		if err := known.accepts(e); err != nil {
			t.Errorf("the help of bbgen: %s: %v", e, err)
		}
	}
}

// help is what programs print for -h.
type help struct {
	flags, verbs map[string]bool
	of           map[string]map[string]bool // the flags of each verb of bbgen
	examples     []string                   // command lines of bbgen
}

var (
	flagName = regexp.MustCompile(`(?m)(?:^|[\s(\[])(--?[a-z][a-z-]*)`)
	verbName = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}\S`)
)

// helpOf runs bbgen, a peer, a simulator and a trainer, with all of their commands, to print their help.
func helpOf(t *testing.T) help {
	t.Helper()
	const everything = "./generated_test/program/everything/peer/"
	bin := build(t, "./cmd/bbgen", everything+"worker", everything+"sim")
	h := help{flags: map[string]bool{"-h": true}, verbs: map[string]bool{}, of: map[string]map[string]bool{}}
	model := filepath.Join(bin, "model")
	run := func(name string, args ...string) {
		if b, err := exec.Command(filepath.Join(bin, name), args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, b)
		}
	}
	run("bbgen", "build", filepath.Join(root, "examples/digits/digits.onnx"), "-o", model, "--serve", "--pprof", "-q")
	for _, name := range []string{"bbgen", "worker", "sim", "model"} {
		verbs := h.add(t, filepath.Join(bin, name))
		for _, verb := range verbs {
			if name == "bbgen" {
				h.verbs[verb] = true
			}
			if verb == "run" && name == "worker" {
				continue
			}
			for _, under := range h.add(t, filepath.Join(bin, name), verb) {
				if name == "bbgen" {
					h.add(t, filepath.Join(bin, name), verb, under)
				}
			}
		}
	}
	return h
}

// add adds the flags of a command, and returns its verbs.
func (h *help) add(t *testing.T, command string, verb ...string) (verbs []string) {
	b, err := exec.Command(command, append(verb, "-h")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v -h: %v\n%s", command, verb, err, b)
	}
	_, options, _ := strings.Cut(string(b), "\nFlags:\n")
	own := map[string]bool{}
	for _, m := range flagName.FindAllStringSubmatch(options, -1) {
		own[m[1]] = true
	}
	for _, m := range flagName.FindAllStringSubmatch(string(b), -1) {
		h.flags[m[1]] = true
	}
	if filepath.Base(command) == "bbgen" {
		h.of[strings.Join(verb, " ")] = own
		h.addExamples(string(b))
	}
	for _, m := range verbName.FindAllStringSubmatch(string(b), -1) {
		verbs = append(verbs, m[1])
	}
	return verbs
}

// example matches a command line of bbgen between others.
var example = regexp.MustCompile(`(?:^|[\s(])(bbgen .*)`)

// addExamples adds the examples of a verb.
func (h *help) addExamples(text string) {
	_, text, _ = strings.Cut(text, "\nExamples:\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, " #")
		for part := range strings.SplitSeq(line, "&&") {
			part, _, _ = strings.Cut(part, " | ")
			if m := example.FindStringSubmatch(strings.TrimSpace(part)); m != nil {
				h.examples = append(h.examples, strings.TrimSuffix(m[1], ")"))
			}
		}
	}
}

// accepts returns an error if the verb of a command line lacks one of its flags.
func (h *help) accepts(line string) error {
	verb := ""
	for _, w := range strings.Fields(line)[1:] {
		next := strings.TrimSpace(verb + " " + w)
		if h.of[next] == nil {
			break
		}
		verb = next
	}
	for _, m := range flagName.FindAllStringSubmatch(line, -1) {
		if !h.of[verb][m[1]] {
			return fmt.Errorf("there is no flag %s", m[1])
		}
	}
	return nil
}

// others matches commands other than bbgen's, which are not checked for flags. Settings may stand before a command.
var others = regexp.MustCompile(`^([A-Z_]+=\S+ )*(go|git|ln|set|curl|openssl|kill|ls|python3?|cd|cp|mkdir|systemctl|scp|tar|jq|docker|podman|kubectl|nomad|sha256sum) `)

var bbgenVerb = regexp.MustCompile(`^bbgen ([a-z]+)(?: |$)`)

// flags returns the flags and verbs on a page that do not exist.
func (p *page) flags(known help) error {
	var all []error
	look := func(n int, command string) {
		if others.MatchString(command) {
			return
		}
		if m := bbgenVerb.FindStringSubmatch(command); m != nil && !known.verbs[m[1]] {
			all = append(all, fmt.Errorf("%s:%d: bbgen has no command %q", p.name, n, m[1]))
		}
		for _, m := range flagName.FindAllStringSubmatch(command, -1) {
			if !known.flags[m[1]] {
				all = append(all, fmt.Errorf("%s:%d: no program has a flag %s", p.name, n, m[1]))
			}
		}
	}
	for _, l := range p.prose {
		for _, s := range span.FindAllStringSubmatch(l.text, -1) {
			look(l.number, s[1])
		}
	}
	for _, b := range p.blocks {
		if _, skipped := b.order("skip"); skipped {
			for i, s := range b.lines {
				look(b.line+1+i, strings.TrimPrefix(s, "$ "))
			}
		}
	}
	return errors.Join(all...)
}
