# How the site of the association is made.
SITE := public
PAGES = $(wildcard pages/*.md) $(wildcard notes/*.md)

-include local.mk

.PHONY: all clean
all: $(SITE)/index.html feed

# Pandoc knows nothing of our links, so that they are rewritten first.
# It takes a second a page.
$(SITE)/%.html: pages/%.md tools/links.py | $(SITE)
	python tools/links.py $< > $@.md
	pandoc --standalone --css hive.css --output $@ $@.md
	rm $@.md

feed: $(PAGES)
	python tools/feed.py --title "Bees of the valley" \
	  --limit 20 $(PAGES) > $(SITE)/feed.xml

# Only on the machine that serves it.
ifeq ($(HOST),apiary)
publish: all
	rsync --archive --delete --exclude .git $(SITE)/ /srv/www/bees.example.org/
	systemctl reload nginx
endif

define BANNER
Bees of the valley
made: today
endef

clean:
	rm --recursive --force $(SITE)
