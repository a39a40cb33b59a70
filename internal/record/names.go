package record

import (
	"path/filepath"
	"regexp"
)

// local replaces names of the author's files in a text by those that an editor finds. If GOFLAGS has -trimpath, names
// in a program begin with the path of the module instead of its folder.
func (s *source) local(text string) string {
	if s.module == "" || s.root == "" {
		return text
	}
	name := regexp.MustCompile(`(^|[^\w./~@-])` + regexp.QuoteMeta(s.module) + `/([^\s:"()]+\.go:\d)`)
	return name.ReplaceAllStringFunc(text, func(found string) string {
		part := name.FindStringSubmatch(found)
		return part[1] + FromHere(filepath.Join(s.root, filepath.FromSlash(part[2])))
	})
}
