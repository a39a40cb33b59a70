package deploy

// closedDir is a folder that its owner alone may enter.
const closedDir = "compose/config"

// compose makes the file that "docker compose" and "podman compose" read. They mount
// configurations as they are, for a user who is not their owner: a folder that nobody else
// may enter keeps them secret.
func compose(all []unit) ([]manifest, error) {
	text, err := fill("compose.yaml", all)
	if err != nil {
		return nil, err
	}
	files := []manifest{{"compose/compose.yaml", text, open}}
	for i := range all {
		for _, m := range all[i].Peers {
			if m.Config != "" {
				files = append(files, manifest{closedDir + "/" + m.Name + ".json", m.Config, open})
			}
		}
	}
	return files, nil
}
