package cli

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// newVerb returns a command like those of verbs, below one with the name bbgen.
func newVerb() *cobra.Command {
	root := &cobra.Command{Use: "bbgen", Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2}
	verb := &cobra.Command{Use: "run DIR", Args: One("DIR", "the folder that bbgen wrote"), RunE: func(*cobra.Command, []string) error { return nil }}
	verb.Flags().String("peers", "", "how many")
	verb.Flags().StringP("output", "o", "", "where to")
	verb.SetFlagErrorFunc(FlagError)
	root.AddCommand(verb)
	return root
}

// wordsOf splits a command line; ” is an empty argument.
func wordsOf(line string) []string {
	words := strings.Fields(line)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	return words
}

// TestUsage tests that mistakes on the command line are usage errors that say what to do.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"run dir":           "",
		"run":               "want one DIR, the folder that bbgen wrote: there is none",
		"run a b":           "want one DIR, the folder that bbgen wrote: there are a, b",
		"run dir --peer 1":  "there is no flag --peer; did you mean --peers?",
		"run --version":     `there is no flag --version: "bbgen version" prints it`,
		"run dir --peers":   "flag needs an argument: --peers",
		"run dir -peers 1":  "there is no flag -peers; did you mean --peers?",
		"run dir -peers=1":  "there is no flag -peers; did you mean --peers?",
		"run dir -z":        "there is no flag -z; -h lists all",
		"run dir -output x": "there is no flag -output; did you mean --output?",
		"run -output=x dir": "there is no flag -output; did you mean --output?",
		"run dir -oout":     "",
		"run dir -o output": "",
		"rum dir --peers 1": `there is neither a command nor a file "rum"; did you mean "run"?`,
		"frobnicate -o x":   `there is neither a command nor a file "frobnicate"; "bbgen -h" lists the commands`,
		"help nope":         `there is no command "nope"; "bbgen -h" lists the commands`,
		"help run nope":     `there is no command "run nope"; "bbgen -h" lists the commands`,
		"help run":          "",
		"help":              "",
		"completion tcsh":   `there are no completions for "tcsh", want one of bash, fish, powershell, zsh`,
		"completion fish":   "",
		"completion":        "",
		"run ''":            `want one DIR, the folder that bbgen wrote: there is ""`,
	} {
		c := newVerb()
		c.SetArgs(wordsOf(args))
		err := Misspelled(c, wordsOf(args))
		if err == nil {
			_, err = OneDash(c, wordsOf(args))
		}
		if err == nil {
			err = c.Execute()
		}
		if want == "" {
			if err != nil {
				t.Errorf("bbgen %s: %v", args, err)
			}
			continue
		}
		var usage UsageError
		if !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("bbgen %s: got %v, want the usage error %q", args, err, want)
		}
	}
	if why := errors.New("why"); !errors.Is(Usagef("x: %w", why), why) {
		t.Error("a usage error hides its cause")
	}
}

// TestProgress shows the lines on a pipe: stages if they are requested, and notes unless the command is
// quiet.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		quiet, verbose bool
		want           string
	}{
		{false, false, "a note\n"},
		{false, true, "0.000s  go build a\na note\n"},
		{true, true, ""},
	} {
		var out strings.Builder
		p := NewProgress(&out, c.quiet, c.verbose)
		p.Stage("go build %s", "a")
		p.Note("a note")
		p.Done()
		got := regexp.MustCompile(`(?m)^ *[0-9.]+s`).ReplaceAllString(out.String(), "0.000s")
		if got != c.want {
			t.Errorf("quiet %v, verbose %v: got %q, want %q", c.quiet, c.verbose, got, c.want)
		}
	}
	var none *Progress
	none.Stage("nobody looks")
	none.Note("nobody looks")
	none.Done()
}

// TestProgressLine shows the one line on a terminal: each stage overwrites the previous one.
func TestProgressLine(t *testing.T) {
	var out strings.Builder
	p := &Progress{w: &out, live: true}
	p.Stage("build")
	p.Stage("run")
	p.Done()
	if want := "build\r     \rrun\r   \r"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
