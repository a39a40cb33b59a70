package man

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// page returns the manual page of a command, in the language of man(7). It has no date, so that it changes only
// with the command.
func page(cmd *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %q 1 \"\" bbgen \"bbgen's commands\"\n", strings.ToUpper(name(cmd)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(name(cmd)), escape(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escape(cmd.UseLine()))
	if cmd.Long != "" {
		b.WriteString(".SH DESCRIPTION\n")
		for i, text := range strings.Split(cmd.Long, "\n\n") {
			paragraph(&b, i, text)
		}
	}
	options(&b, "OPTIONS", cmd.NonInheritedFlags())
	options(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		verbatim(&b, cmd.Example)
	}
	related(&b, cmd)
	return b.Bytes()
}

// paragraph writes a part of a description. Lines that are indented stay as they are.
func paragraph(b *bytes.Buffer, i int, text string) {
	if i > 0 {
		b.WriteString(".PP\n")
	}
	if strings.HasPrefix(text, " ") {
		verbatim(b, text)
		return
	}
	b.WriteString(escape(text) + "\n")
}

// verbatim writes lines that are not filled.
func verbatim(b *bytes.Buffer, text string) {
	fmt.Fprintf(b, ".nf\n%s\n.fi\n", escape(text))
}

// options writes the flags of a command.
func options(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		text := "--" + f.Name
		if f.Shorthand != "" {
			text = "-" + f.Shorthand + ", " + text
		}
		fmt.Fprintf(b, ".TP\n.BR \"%s\"", escape(text))
		if value != "" {
			fmt.Fprintf(b, " \" \\fI%s\\fR\"", escape(value))
		}
		b.WriteString("\n" + escape(usage))
		if !slices.Contains(zeros, f.DefValue) {
			fmt.Fprintf(b, " (default %s)", escape(f.DefValue))
		}
		b.WriteString("\n")
	})
}

// zeros are defaults that say nothing.
var zeros = []string{"", "false", "[]", "0", "0s"}

// related names the pages of the commands above and below.
func related(b *bytes.Buffer, cmd *cobra.Command) {
	var names []string
	if cmd.HasParent() {
		names = append(names, name(cmd.Parent()))
	}
	for _, sub := range below(cmd) {
		names = append(names, name(sub))
	}
	if len(names) == 0 {
		return
	}
	b.WriteString(".SH SEE ALSO\n")
	for i, n := range names {
		end := ""
		if i < len(names)-1 {
			end = ","
		}
		fmt.Fprintf(b, ".BR %s (1)%s\n", escape(n), end)
	}
}

// escape returns a text as man prints it: backslashes, hyphens that can be copied, quotes, and lines that begin like
// requests.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
