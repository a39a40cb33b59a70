package status

// WithToken returns the address of a page with its token, if there is one.
func WithToken(page, token string) string {
	if token == "" {
		return page
	}
	return page + "?token=" + token
}
