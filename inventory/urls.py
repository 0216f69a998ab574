from django.urls import path

from inventory import views

app_name = "inventory"
urlpatterns = [
    path("<slug:slug>/", views.event, name="event"),
    path("<slug:slug>/code/", views.show_code, name="code"),
    path("<slug:slug>/seats/", views.seats, name="seats"),
    path("<slug:slug>/seats/<slug:section_slug>/", views.section, name="section"),
]
